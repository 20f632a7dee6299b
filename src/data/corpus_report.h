// What became of the pairs of a corpus: how many are kept, and how many are dropped for which reason.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "data/corpus.h"
#include "data/first_lines.h"

namespace dragoman {

/// In the order in which they are looked at; a pair counts for the first that holds.
enum class PairFate { too_many_bytes, empty_source, empty_target, too_long, kept, truncated };
inline constexpr std::size_t kDropReasons = 4;
constexpr bool is_used(PairFate fate) { return fate == PairFate::kept || fate == PairFate::truncated; }

struct CorpusReport {
  std::size_t lines = 0;  ///< pairs looked at
  std::size_t kept = 0;
  std::size_t truncated = 0;  ///< kept, but cut to max_length
  bool sampled = false;       ///< only a part of the corpus was looked at
  std::array<FirstLines, kDropReasons> dropped{};

  void count(PairFate fate, std::size_t pair);
  [[nodiscard]] const FirstLines& operator[](PairFate fate) const { return dropped[static_cast<std::size_t>(fate)]; }
  [[nodiscard]] std::size_t total_dropped() const { return lines - kept; }
  /// "6 of 8 pairs dropped: 4 with an empty source (first: a.en:2, 5, 6), 2 with an empty target (first:
  /// a.en:3, 8)".
  [[nodiscard]] std::string describe(const Corpus& corpus) const;
};

}  // namespace dragoman
