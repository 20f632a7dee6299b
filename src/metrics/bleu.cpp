#include "metrics/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_map>
#include <utility>

#include "core/error.h"

namespace dragoman {
namespace {

constexpr std::array<std::pair<BleuSmoothing, std::string_view>, 4> kNames = {{
    {BleuSmoothing::exp, "exp"},
    {BleuSmoothing::floor, "floor"},
    {BleuSmoothing::add_k, "add-k"},
    {BleuSmoothing::none, "none"},
}};

bool has_value(BleuSmoothing smoothing) {
  return smoothing == BleuSmoothing::floor || smoothing == BleuSmoothing::add_k;
}

double smooth_value(const BleuOptions& options) {
  return options.smooth_value.value_or(options.smoothing == BleuSmoothing::floor ? 0.1 : 1.0);
}

/// The logarithm that sacreBLEU uses: a zero precision makes the score 0 without an infinity.
double floored_log(double x) { return x == 0 ? -9999999999.0 : std::log(x); }

template <class... Arguments>
std::string format(const char* pattern, Arguments... arguments) {
  std::array<char, 256> buffer{};
  std::snprintf(buffer.data(), buffer.size(), pattern, arguments...);
  return buffer.data();
}

}  // namespace

BleuSmoothing parse_bleu_smoothing(std::string_view name) {
  std::string known;
  for (const auto& [smoothing, its_name] : kNames) {
    if (its_name == name) return smoothing;
    known += (known.empty() ? "" : ", ") + std::string(its_name);
  }
  throw UserError("unknown BLEU smoothing '" + std::string(name) + "'; known are " + known);
}

std::string_view to_string(BleuSmoothing smoothing) {
  for (const auto& [known, name] : kNames) {
    if (known == smoothing) return name;
  }
  return "?";
}

BleuStats& BleuStats::operator+=(const BleuStats& other) {
  sys_len += other.sys_len;
  ref_len += other.ref_len;
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    counts[n] += other.counts[n];
    totals[n] += other.totals[n];
  }
  return *this;
}

double BleuScore::ratio() const {
  return ref_len == 0 ? 0 : static_cast<double>(sys_len) / static_cast<double>(ref_len);
}

std::string BleuScore::details() const {
  return format("%.1f/%.1f/%.1f/%.1f (BP = %.3f ratio = %.3f hyp_len = %lld ref_len = %lld)", precisions[0],
                precisions[1], precisions[2], precisions[3], bp, ratio(), static_cast<long long>(sys_len),
                static_cast<long long>(ref_len));
}

/// The n-grams of one line. An n-gram is named by its number: that of its first n-1 tokens (a node of a prefix
/// tree) and its last token lead to it, so that counting hashes 8 bytes an n-gram whatever its length.
struct Bleu::Tables {
  struct Node {
    std::int32_t order = 0;  ///< 0: unigram
    std::int32_t hypothesis = 0, reference = 0, largest_reference = 0;
  };
  std::unordered_map<std::string_view, std::uint32_t> token_ids;
  std::unordered_map<std::uint64_t, std::uint32_t> node_ids;  ///< (parent + 1, token) -> node; parent 0: the root
  std::vector<Node> nodes;
  std::vector<std::string_view> words;
  std::vector<std::uint32_t> tokens;

  /// Clearing a hash table costs as much as it has buckets: one enormous line must not slow down all others.
  void clear() {
    if (node_ids.bucket_count() > 10000) {
      *this = {};
      return;
    }
    token_ids.clear();
    node_ids.clear();
    nodes.clear();
  }

  /// Counts every n-gram of the line into `counter`; returns the number of tokens.
  std::int64_t count(std::string_view tokenized, std::int32_t Node::*counter) {
    split_words(tokenized, words);
    tokens.clear();
    for (const auto word : words) {
      tokens.push_back(token_ids.try_emplace(word, static_cast<std::uint32_t>(token_ids.size())).first->second);
    }
    for (std::size_t start = 0; start < tokens.size(); ++start) {
      std::uint64_t parent = 0;
      for (std::size_t n = 0; n < kBleuOrder && start + n < tokens.size(); ++n) {
        const auto key = parent << 32U | tokens[start + n];
        const auto [found, added] = node_ids.try_emplace(key, static_cast<std::uint32_t>(nodes.size()));
        if (added) nodes.push_back({.order = static_cast<std::int32_t>(n)});
        ++(nodes[found->second].*counter);
        parent = found->second + std::uint64_t{1};
      }
    }
    return static_cast<std::int64_t>(tokens.size());
  }
};

Bleu::Bleu(const BleuOptions& options) : options_(options), tables_(std::make_unique<Tables>()) {
  const bool has_value = options.smoothing == BleuSmoothing::floor || options.smoothing == BleuSmoothing::add_k;
  if (options.smooth_value && !has_value) {
    throw UserError("a smoothing value of BLEU needs smoothing floor or add-k, not " +
                    std::string(to_string(options.smoothing)));
  }
  const double value = smooth_value(options);
  if (!std::isfinite(value) || value < 0) {
    throw UserError(format("the smoothing value of BLEU is %g; it must be a number from 0 up", value));
  }
}
Bleu::~Bleu() = default;
Bleu::Bleu(Bleu&&) noexcept = default;
Bleu& Bleu::operator=(Bleu&&) noexcept = default;

BleuStats Bleu::line_stats(std::string_view hypothesis, std::span<const std::string> references) {
  CHECK(!references.empty(), "Bleu: a line without references");
  const auto prepare = [this](std::string_view line) {
    return tokenize_for_bleu(options_.tokenizer, options_.lowercase ? lower_case(line) : line);
  };
  auto& nodes = tables_->nodes;
  std::vector<std::string> lines = {prepare(hypothesis)};  // alive as long as the tables hold views of them
  lines.reserve(references.size() + 1);
  for (const auto& reference : references) lines.push_back(prepare(reference));

  BleuStats stats;
  stats.sys_len = tables_->count(lines[0], &Tables::Node::hypothesis);
  stats.ref_len = -1;
  for (std::size_t r = 1; r < lines.size(); ++r) {
    const std::int64_t length = tables_->count(lines[r], &Tables::Node::reference);
    const auto rank = [&](std::int64_t n) { return std::pair(std::abs(stats.sys_len - n), n); };
    if (stats.ref_len < 0 || rank(length) < rank(stats.ref_len)) stats.ref_len = length;
    for (auto& node : nodes) {
      node.largest_reference = std::max(node.largest_reference, std::exchange(node.reference, 0));
    }
  }
  for (const auto& node : nodes) {
    stats.totals[node.order] += node.hypothesis;
    stats.counts[node.order] += std::min(node.hypothesis, node.largest_reference);
  }
  tables_->clear();
  return stats;
}

BleuScore Bleu::score(const BleuStats& stats) const {
  BleuScore result{.counts = stats.counts, .totals = stats.totals, .sys_len = stats.sys_len, .ref_len = stats.ref_len};
  if (stats.sys_len < stats.ref_len) {
    result.bp = stats.sys_len == 0 ? 0 : std::exp(1 - static_cast<double>(stats.ref_len) / stats.sys_len);
  }
  if (std::all_of(stats.counts.begin(), stats.counts.end(), [](auto count) { return count == 0; })) return result;

  const double value = smooth_value(options_);
  std::size_t order = kBleuOrder;
  double halved = 1;
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    const double added = options_.smoothing == BleuSmoothing::add_k && n > 0 ? value : 0;
    const double matched = static_cast<double>(stats.counts[n]) + added;
    const double total = static_cast<double>(stats.totals[n]) + added;
    if (total == 0) break;
    if (options_.effective_order) order = n + 1;
    if (matched > 0) {
      result.precisions[n] = 100 * matched / total;
    } else if (options_.smoothing == BleuSmoothing::exp) {
      halved *= 2;
      result.precisions[n] = 100 / (halved * total);
    } else if (options_.smoothing == BleuSmoothing::floor) {
      result.precisions[n] = 100 * value / total;
    }
  }
  double sum = 0;
  for (std::size_t n = 0; n < order; ++n) sum += floored_log(result.precisions[n]);
  result.score = std::min(100.0, result.bp * std::exp(sum / static_cast<double>(order)));  // else 100.00000000000004
  return result;
}

std::string Bleu::signature(std::size_t references, std::string_view version) const {
  std::string text = "nrefs:" + std::to_string(references);
  text += options_.lowercase ? "|case:lc" : "|case:mixed";
  text += options_.effective_order ? "|eff:yes" : "|eff:no";
  text.append("|tok:").append(to_string(options_.tokenizer));
  text.append("|smooth:").append(to_string(options_.smoothing));
  if (has_value(options_.smoothing)) text += format("[%.2f]", smooth_value(options_));
  if (!version.empty()) text.append("|version:").append(version);
  return text;
}

BleuScore corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::vector<std::string>> references,
                      const BleuOptions& options) {
  if (references.empty()) throw UserError("BLEU needs at least one reference");
  for (std::size_t r = 0; r < references.size(); ++r) {
    if (references[r].size() != hypotheses.size()) {
      throw UserError("BLEU: reference " + std::to_string(r + 1) + " has " + std::to_string(references[r].size()) +
                      " lines, but there are " + std::to_string(hypotheses.size()) + " hypotheses");
    }
  }
  Bleu bleu(options);
  BleuStats stats;
  std::vector<std::string> of_line(references.size());
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    for (std::size_t r = 0; r < references.size(); ++r) of_line[r] = references[r][i];
    stats += bleu.line_stats(hypotheses[i], of_line);
  }
  return bleu.score(stats);
}

BleuScore sentence_bleu(std::string_view hypothesis, std::span<const std::string> references, BleuOptions options) {
  options.effective_order = true;
  Bleu bleu(options);
  return bleu.score(bleu.line_stats(hypothesis, references));
}

}  // namespace dragoman
