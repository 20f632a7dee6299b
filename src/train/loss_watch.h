// Notices a loss that jumps: something is wrong with a batch, or a learning rate is too high.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace dragoman {

/// Exponential means of the loss per label of an update and of its distance from that mean, over some 50 updates.
struct LossWatch {
  double mean = 0, distance = 0;
  std::int64_t updates = 0;

  /// Takes the next loss in. True for a spike: after at least 50 updates, more than 8 usual distances above the mean,
  /// and 1.3 times as high.
  bool spike(double loss) {
    constexpr std::int64_t kMemory = 50;
    const bool high = updates >= kMemory && loss > mean + 8 * distance && loss > 1.3 * mean;
    const double share = 1 / static_cast<double>(std::min(++updates, kMemory));
    if (updates > 1) distance += share * (std::fabs(loss - mean) - distance);
    mean += share * (loss - mean);
    return high;
  }
};

}  // namespace dragoman
