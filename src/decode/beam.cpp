#include "decode/beam.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>

#include "core/error.h"
#include "decode/search_rules.h"
#include "kernels/softmax.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr double kSlack = 1e-6;  // more than the sums of log-probabilities round by

struct Live {
  std::vector<TokenId> ids;
  double log_prob = 0;
};

/// With its text, for n_best > 1.
struct Finished {
  Hypothesis hypothesis;
  std::string text;
};

struct Candidate {
  double log_prob;
  Index beam;
  TokenId id;
};

bool better(const Candidate& a, const Candidate& b) {
  if (a.log_prob != b.log_prob) return a.log_prob > b.log_prob;
  return a.beam != b.beam ? a.beam < b.beam : a.id < b.id;
}

/// One sentence's search.
class Beam {
 public:
  Beam(const DecodeOptions& options, const TextRules& text, Index sentence, Index cap)
      : options_(options), text_(text), sentence_(sentence), cap_(cap), live_(1) {}

  [[nodiscard]] const std::vector<Live>& live() const { return live_; }
  /// Best first.
  std::vector<Hypothesis> take_finished() {
    std::vector<Hypothesis> results;
    std::set<std::string> texts;
    const auto most = static_cast<std::size_t>(text_.n_best > 1 ? text_.n_best : options_.beam_size);
    for (const Finished* f : sorted()) {
      if (results.size() == most || (text_.n_best > 1 && !texts.insert(f->text).second)) continue;
      results.push_back(f->hypothesis);
    }
    return results;
  }

  /// logits: a row for each live hypothesis. origins gets, for each hypothesis of the next beam, its beam.
  void advance(ConstMat logits, std::vector<Index>& origins) {
    const std::vector<Candidate> best = best_candidates(logits);
    const auto k = static_cast<std::size_t>(options_.beam_size);
    std::vector<Live> next;
    origins.clear();
    for (std::size_t rank = 0; rank < best.size() && next.size() < k; ++rank) {
      const Candidate& c = best[rank];
      const Live& from = live_[c.beam];
      if (c.id == kEos) {
        if (rank < k) finish(from, c.log_prob, logits.row(c.beam), logits.cols);
        continue;
      }
      next.push_back({from.ids, c.log_prob});
      next.back().ids.push_back(c.id);
      origins.push_back(c.beam);
    }
    live_ = std::move(next);
    if (done()) {
      live_.clear();
      origins.clear();
    }
  }

 private:
  [[nodiscard]] std::vector<Candidate> best_candidates(ConstMat logits) const {
    const auto keep = static_cast<std::size_t>(2 * options_.beam_size);
    std::vector<Candidate> heap;  // the worst of the best is on top
    for (Index beam = 0; beam < logits.rows; ++beam) {
      const Live& from = live_[beam];
      const auto pieces = static_cast<Index>(from.ids.size());
      const Real* row = logits.row(beam);
      // Barred ids keep their share of the softmax, so that log_prob is that of `score`.
      const double normalizer = log_normalizer(row, logits.cols);
      if (!std::isfinite(normalizer)) throw NotFinite();
      const auto log_prob = [&](Real logit) { return from.log_prob + (static_cast<double>(logit) - normalizer); };
      // A logit that is at most this gives no better candidate: one of an earlier beam or id wins a tie.
      const auto bound = [&] {
        return heap.size() < keep ? std::numeric_limits<double>::lowest()
                                  : heap.front().log_prob - from.log_prob + normalizer - kSlack;
      };
      visit_above(row, logits.cols, bound, [&](TokenId id, Real logit) {
        const Candidate c{log_prob(logit), beam, id};
        if (heap.size() == keep && !better(c, heap.front())) return;
        if (!allowed(options_, text_, id, pieces, cap_)) return;
        if (heap.size() == keep) {
          std::pop_heap(heap.begin(), heap.end(), better);
          heap.pop_back();
        }
        heap.push_back(c);
        std::push_heap(heap.begin(), heap.end(), better);
      });
    }
    CHECK(!heap.empty(), "no id is allowed");
    std::sort(heap.begin(), heap.end(), better);
    return heap;
  }

  void finish(const Live& from, double log_prob, const Real* row, Index ids) {
    const auto pieces = static_cast<Index>(from.ids.size());
    const double score = log_prob / length_penalty(options_, pieces + 1);
    if (score > best_allowed_) return;
    const bool cut = is_cut(options_, text_, row, ids, pieces, cap_);
    finished_.push_back(
        {{from.ids, log_prob, score, cut}, text_.n_best > 1 ? text_.text(sentence_, from.ids) : std::string()});
  }

  [[nodiscard]] std::vector<const Finished*> sorted() const {
    std::vector<const Finished*> order;
    for (const Finished& f : finished_) order.push_back(&f);
    std::stable_sort(order.begin(), order.end(),
                     [](const Finished* a, const Finished* b) { return a->hypothesis.score > b->hypothesis.score; });
    return order;
  }

  /// The score of the n_best-th text; nothing when there are fewer. (For n_best 1 all count as one text.)
  [[nodiscard]] std::optional<double> last_score() const {
    std::set<std::string> texts;
    for (const Finished* f : sorted()) {
      if (texts.insert(f->text).second && static_cast<Index>(texts.size()) == text_.n_best) return f->hypothesis.score;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool done() {
    if (live_.empty()) return true;
    if (options_.stop == "finished") {
      if (static_cast<Index>(finished_.size()) < options_.beam_size) return false;
      best_allowed_ = sorted().front()->hypothesis.score;
      return text_.n_best == 1 || last_score();
    }
    const std::optional<double> last = last_score();
    return last && std::all_of(live_.begin(), live_.end(), [&](const Live& live) {
             // log_prob <= 0 can only fall; dividing by the largest penalty still reachable is best for it. Penalties
             // are monotonic in length, so one of the two ends is the largest.
             const auto next = static_cast<Index>(live.ids.size()) + 1;
             const double penalty = std::max(length_penalty(options_, next), length_penalty(options_, cap_ + 1));
             return live.log_prob / penalty <= *last;
           });
  }

  const DecodeOptions& options_;
  const TextRules& text_;
  Index sentence_, cap_;
  std::vector<Live> live_;
  std::vector<Finished> finished_;
  double best_allowed_ = std::numeric_limits<double>::infinity();  ///< when only other texts are still looked for
};

}  // namespace

std::vector<std::vector<Hypothesis>> beam_search(const Seq2Seq& model, Values values, const Sentences& source,
                                                 const DecodeOptions& options, Workspace& workspace,
                                                 const TextRules& text) {
  std::vector<Beam> beams;
  for (Index i = 0; i < source.count(); ++i) {
    beams.emplace_back(options, text, i, length_cap(options, source.length(i) - 1, model.max_target_tokens()));
  }
  const Memory memory = model.encode(values, source, workspace);
  const std::unique_ptr<DecoderState> state = model.start(values, memory, workspace);
  std::vector<TokenId> tokens(beams.size(), kBos);
  std::vector<Index> rows, origins;
  while (!tokens.empty()) {
    const Workspace::Scope step_scope(workspace);
    const Mat logits = model.step(values, *state, tokens, workspace);
    rows.clear();
    tokens.clear();
    Index first = 0;
    for (Beam& beam : beams) {
      const auto count = static_cast<Index>(beam.live().size());
      if (count == 0) continue;
      beam.advance(logits.row_range(first, count), origins);
      for (const Index origin : origins) rows.push_back(first + origin);
      for (const Live& live : beam.live()) tokens.push_back(live.ids.back());
      first += count;
    }
    state->select(rows);
  }
  std::vector<std::vector<Hypothesis>> results;
  results.reserve(beams.size());
  for (Beam& beam : beams) results.push_back(beam.take_finished());
  return results;
}

}  // namespace DRAGOMAN_NAMESPACE
