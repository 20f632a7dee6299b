// Gathers the data report of a training from its pairs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "data/data_report.h"
#include "data/held_out_text.h"
#include "data/pair_encoder.h"
#include "data/training_side.h"

namespace dragoman {

/// A corpus of more pairs is examined by a sample at first.
inline constexpr std::size_t kExamineAll = 500'000;

/// The most pieces that a translation of so many source pieces may have; empty: there is no limit.
using LengthCaps = std::function<std::size_t(std::size_t source_pieces)>;

/// Memory: 8 bytes a line of the training text (again as much while the report is made), some 80 bytes a line of the
/// others, 9 MB.
class DataExaminer {
 public:
  /// The corpora must live longer; dev and test may be null. Reads these two.
  DataExaminer(const PairEncoder& encoder, const Corpus* dev, const Corpus* test, LengthCaps caps = {});

  /// What encode_filtered() gave for training pair `line`; in any order, each pair at most once.
  void add(std::size_t line, PairFate fate, const EncodedPair& pair, const PairText& text);
  [[nodiscard]] const CorpusReport& pairs() const { return pairs_; }
  /// Of the pairs so far.
  [[nodiscard]] DataReport report() const;

 private:
  PairEncoder encoder_;
  CorpusReport pairs_;
  std::array<TrainingSide, 2> sides_;
  std::vector<std::uint64_t> hashes_;  // of the pairs in use, by line; 0: not in use
  FirstLines copies_;
  LengthCaps caps_;
  FirstLines unreachable_;  // targets that are longer
  std::vector<HeldOutText> held_out_;
};

/// Runs the filter over the corpus and reports; over a fixed sample of at most 100,000 pairs when there are more than
/// `examine_all`. UserError when nothing of the whole corpus is kept.
[[nodiscard]] DataReport examine(const PairEncoder& encoder, const Corpus* dev = nullptr, const Corpus* test = nullptr,
                                 std::size_t examine_all = kExamineAll, const LengthCaps& caps = {});

}  // namespace dragoman
