// Notices a model that learns without looking at its source.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/head_entropy.h"

namespace dragoman {

/// Says so once in a training, however often that is interrupted: at the first validation after warm-up (and after 1,000
/// updates: before, any model may be as blind) that finds every head of the cross-attention uniform.
struct AttentionWatch {
  static constexpr const char* kMessage =
      "the decoder does not look at the source: the weights of every head of its cross-attention are uniform (entropy "
      "above 0.99 of the largest possible). A lower training.optimizer.learning_rate, a longer "
      "training.schedule.warmup, larger batches or norm: pre usually help";

  bool told = false;

  bool tells(const std::vector<HeadEntropy>& heads, std::int64_t update, std::int64_t warmup) {
    constexpr std::int64_t kEarliest = 1000;
    if (told || update < std::max(warmup, kEarliest) || !ignores_source(heads)) return false;
    return told = true;
  }
};

}  // namespace dragoman
