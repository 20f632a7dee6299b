#include "decode/greedy.h"

#include <cmath>
#include <limits>

#include "core/error.h"
#include "decode/search_rules.h"
#include "kernels/softmax.h"

namespace DRAGOMAN_NAMESPACE {

std::vector<Hypothesis> greedy_search(const Seq2Seq& model, Values values, const Sentences& source,
                                      const DecodeOptions& options, Workspace& workspace, const TextRules& text) {
  std::vector<Hypothesis> results(static_cast<std::size_t>(source.count()));
  const Memory memory = model.encode(values, source, workspace);
  const std::unique_ptr<DecoderState> state = model.start(values, memory, workspace);
  std::vector<Index> alive(results.size());  // sentence of each row
  for (std::size_t i = 0; i < alive.size(); ++i) alive[i] = static_cast<Index>(i);
  std::vector<TokenId> tokens(alive.size(), kBos);
  while (!alive.empty()) {
    const Workspace::Scope step_scope(workspace);
    const Mat logits = model.step(values, *state, tokens, workspace);
    std::vector<Index> rows, next_alive;
    tokens.clear();
    for (Index row = 0; row < logits.rows; ++row) {
      const Index sentence = alive[row];
      Hypothesis& hypothesis = results[sentence];
      const auto pieces = static_cast<Index>(hypothesis.ids.size());
      const Index cap = length_cap(options, source.length(sentence) - 1, model.max_target_tokens());
      // Barred ids keep their share of the softmax.
      const double normalizer = log_normalizer(logits.row(row), logits.cols);
      if (!std::isfinite(normalizer)) throw NotFinite();
      TokenId best = -1;
      const auto best_logit = [&] { return best < 0 ? std::numeric_limits<Real>::lowest() : logits(row, best); };
      visit_above(logits.row(row), logits.cols, best_logit, [&](TokenId id, Real logit) {
        if ((best < 0 || logit > best_logit()) && allowed(options, text, id, pieces, cap)) best = id;
      });
      CHECK(best >= 0, "no id is allowed");
      hypothesis.log_prob += static_cast<double>(logits(row, best)) - normalizer;
      if (best == kEos) {
        hypothesis.score = hypothesis.log_prob / length_penalty(options, pieces + 1);
        hypothesis.cut = is_cut(options, text, logits.row(row), logits.cols, pieces, cap);
        continue;
      }
      hypothesis.ids.push_back(best);
      rows.push_back(row);
      next_alive.push_back(sentence);
      tokens.push_back(best);
    }
    if (rows.size() < alive.size()) state->select(rows);
    alive = std::move(next_alive);
  }
  return results;
}

}  // namespace DRAGOMAN_NAMESPACE
