// How fast a training runs: time spent in updates, and an estimate of what is left.
#pragma once

#include <cstddef>
#include <cstdint>

#include "train/train_options.h"
#include "train/training_state.h"

namespace DRAGOMAN_NAMESPACE {

/// Of this run, without validation and saving.
struct Pace {
  double seconds = 0;
  std::int64_t updates = 0, pairs = 0;

  /// Until max_updates or max_epochs, whichever comes first; -1: unknown. `pairs_in_epoch`: of the corpus.
  [[nodiscard]] double seconds_left(const TrainOptions& options, const TrainingState& state,
                                    std::size_t pairs_in_epoch) const;
};

}  // namespace DRAGOMAN_NAMESPACE
