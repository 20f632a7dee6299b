// What a training reads: opened, checked and reported on, before anything is written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "data/data_examiner.h"
#include "data/pair_encoder.h"
#include "models/seq2seq.h"
#include "train/checkpoint.h"

namespace dragoman {

/// Stays where it is: its parts refer to one another.
struct TrainingSetup {
  /// Opens the text, trains the tokenizers (on resume: loads those of the model directory), examines the pairs, makes
  /// the model with its first values and estimates the memory. `resume`: the state to go on from, or null. UserError: any
  /// of it is wrong, that state is of another training, or the memory won't do.
  TrainingSetup(const Config& config, const TrainingState* resume, int threads);
  TrainingSetup(const TrainingSetup&) = delete;
  TrainingSetup& operator=(const TrainingSetup&) = delete;

  [[nodiscard]] const Corpus* dev_or_null() const { return dev ? &*dev : nullptr; }
  [[nodiscard]] const Corpus* test_or_null() const { return test ? &*test : nullptr; }

  std::vector<std::string> warnings, infos;  ///< to be said before the first update
  Corpus train;
  std::optional<Corpus> dev, test;
  TokenizerPair tokenizers;
  Fingerprint fingerprint;
  PairEncoder encoder;  ///< of `train`
  Seq2Seq model;

 private:
  void examine_data(const Config& config);
  void initialize_model(const Config& config, bool resume);
  void check_memory(const Config& config, int threads);
};

}  // namespace dragoman
