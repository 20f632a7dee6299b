// Development or test text, compared with the training text.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "data/data_report.h"
#include "data/pair_encoder.h"
#include "data/pair_hash.h"
#include "data/training_side.h"

namespace dragoman {

/// Memory: some 80 bytes a line (two entries of hash tables).
class HeldOutText {
 public:
  /// Reads the encoder's corpus, which must live longer.
  HeldOutText(std::string name, PairEncoder encoder);

  /// A pair that is trained on.
  void add_training(const PairHash& hash);
  /// Reads and tokenizes the corpus. `sides`: all of the training text that was looked at. `development`: null, or the
  /// other text when this is test data.
  [[nodiscard]] HeldOutReport report(const std::array<TrainingSide, 2>& sides, const HeldOutText* development) const;

 private:
  std::string name_;
  PairEncoder encoder_;
  std::unordered_map<std::uint64_t, bool> pairs_;  // hash of each line: is it in the training text?
  std::unordered_map<std::uint64_t, bool> sources_;
};

}  // namespace dragoman
