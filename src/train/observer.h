// How the trainer speaks: terminal, log file, JSON lines and tests are observers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/head_entropy.h"

namespace dragoman {

/// One line of progress, over the updates since the last one.
struct IntervalReport {
  std::int64_t epoch = 0;  ///< from 1
  std::int64_t update = 0;
  double loss = 0;        ///< smoothed, with dropout, per label
  double perplexity = 0;  ///< of the unsmoothed labels, with dropout
  double learning_rate = 0;
  double gradient_norm = 0;  ///< mean over the interval, before clipping
  std::int64_t labels = 0;
  double seconds = 0;        ///< of training, without validation and saving
  double seconds_left = -1;  ///< estimate until max_updates or max_epochs; -1: unknown
};

/// A validation, or the test set at the end.
struct ValidationReport {
  std::int64_t epoch = 0;
  std::int64_t update = 0;
  std::map<std::string, double> metrics;  ///< by name: loss, perplexity, accuracy, sequence_accuracy, bleu
  std::string bleu_signature;             ///< empty without BLEU
  std::vector<HeadEntropy> attention;     ///< of each layer and head
  std::vector<std::string> remarks;       ///< about lines that were cut
  std::optional<std::size_t> cut;         ///< translations that the length cap ended; nothing when none were made
  bool best = false;
  double seconds = 0;
};

/// What takes time in a training.
enum class Activity { update, validation, test };

class Observer {
 public:
  virtual ~Observer() = default;
  /// This begins: the update itself, or a validation after it.
  virtual void begins(Activity /*activity*/, std::int64_t /*update*/) {}
  /// After each update: an interval report as it would be now. For who waits; no part of the reports that count.
  virtual void progress(const IntervalReport& /*report*/) {}
  virtual void info(const std::string& /*message*/) {}
  virtual void warning(const std::string& /*message*/) {}
  virtual void interval(const IntervalReport& /*report*/) {}
  virtual void validation(const ValidationReport& /*report*/) {}
  virtual void test(const ValidationReport& /*report*/) {}
  /// Training goes on from a checkpoint of this update: interval and validation reports after the first `reports`, and
  /// those of the test set, are void.
  virtual void resumed(std::int64_t /*update*/, std::int64_t /*reports*/) {}
  /// The model directory is about to be written to, or read again: reports so far must be on disk. Throws when it is not
  /// this training's any more.
  virtual void saving() {}
  /// Asked after each update and, by any thread, while validating: the number of a signal that asks to stop, else 0.
  virtual int stop_signal() { return 0; }
};

}  // namespace dragoman
