// Options of a TrainStep for tests.
#pragma once

#include "train/train_options.h"

namespace dragoman {

inline TrainOptions step_options(const OptimizerOptions& optimizer, Index shards, double clip_norm) {
  TrainOptions options;
  options.optimizer = optimizer;
  options.shards = shards;
  options.label_smoothing = 0.1;
  options.clip_norm = clip_norm;
  return options;
}

}  // namespace dragoman
