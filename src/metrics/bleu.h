// Corpus BLEU (Papineni et al. 2002, section 2.3) with the numbers of sacreBLEU 2 (Post 2018).
//
//   BLEU = BP exp(1/4 sum_n log p_n)      n = 1..4
//   p_n  = 100 matched_n / total_n        matches clipped by the largest count in any one reference
//   BP   = exp(1 - ref_len / sys_len)     when sys_len < ref_len, else 1
//
// ref_len adds up, line by line, the reference length nearest to the hypothesis (the shorter one on ties).
// Smoothing of orders without a match (Chen and Cherry 2014): exp halves 1 / total_n once more for each such
// order, floor puts a small number in place of 0 matches, add-k adds k to matches and totals of n > 1.
// Lines are lower-cased first, when asked, then cut into tokens (bleu_tokenizers.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/bleu_tokenizers.h"

namespace dragoman {

inline constexpr std::size_t kBleuOrder = 4;

enum class BleuSmoothing { exp, floor, add_k, none };

/// "exp", "floor", "add-k" or "none"; anything else is a UserError that lists them.
[[nodiscard]] BleuSmoothing parse_bleu_smoothing(std::string_view name);
[[nodiscard]] std::string_view to_string(BleuSmoothing smoothing);

struct BleuOptions {
  BleuTokenizer tokenizer = BleuTokenizer::v13a;
  bool lowercase = false;
  BleuSmoothing smoothing = BleuSmoothing::exp;
  std::optional<double> smooth_value = {};  ///< floor: 0.1 when not given; add-k: 1; exp and none have none
  bool effective_order = false;             ///< leave out orders longer than the hypothesis: for single sentences
};

/// Sufficient statistics: those of a corpus are the sum of those of its lines.
struct BleuStats {
  std::int64_t sys_len = 0;                       ///< tokens of the hypotheses
  std::int64_t ref_len = 0;                       ///< tokens of the nearest references
  std::array<std::int64_t, kBleuOrder> counts{};  ///< matched n-grams
  std::array<std::int64_t, kBleuOrder> totals{};  ///< n-grams of the hypotheses

  BleuStats& operator+=(const BleuStats& other);
  bool operator==(const BleuStats&) const = default;
};

struct BleuScore {
  double score = 0;                               ///< 0 to 100
  std::array<double, kBleuOrder> precisions{};    ///< 0 to 100, smoothed
  std::array<std::int64_t, kBleuOrder> counts{};  ///< before smoothing (sacreBLEU shows add-k's additions here)
  std::array<std::int64_t, kBleuOrder> totals{};
  double bp = 1;
  std::int64_t sys_len = 0;
  std::int64_t ref_len = 0;

  /// sys_len / ref_len, or 0 without references.
  [[nodiscard]] double ratio() const;
  /// "67.6/42.3/29.0/20.1 (BP = 1.000 ratio = 1.001 hyp_len = 32 ref_len = 32)"
  [[nodiscard]] std::string details() const;
};

/// Collects statistics line by line. Keeps its tables between lines, so use one object per thread.
class Bleu {
 public:
  /// UserError: a smoothing value that is negative or not finite.
  explicit Bleu(const BleuOptions& options);
  ~Bleu();
  Bleu(Bleu&&) noexcept;
  Bleu& operator=(Bleu&&) noexcept;

  /// Statistics of one line against its references (at least one).
  [[nodiscard]] BleuStats line_stats(std::string_view hypothesis, std::span<const std::string> references);

  [[nodiscard]] BleuScore score(const BleuStats& stats) const;

  /// "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:VERSION", without the last part when version is empty.
  [[nodiscard]] std::string signature(std::size_t references, std::string_view version = {}) const;

 private:
  struct Tables;
  BleuOptions options_;
  std::unique_ptr<Tables> tables_;
};

/// references[r][i] is line i of reference file r. UserError: no references, or numbers of lines that differ.
[[nodiscard]] BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                                    std::span<const std::vector<std::string>> references,
                                    const BleuOptions& options = {});

/// BLEU of one line, always with effective order.
[[nodiscard]] BleuScore sentence_bleu(std::string_view hypothesis, std::span<const std::string> references,
                                      BleuOptions options = {});

}  // namespace dragoman
