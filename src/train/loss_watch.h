// Notices a loss that jumps and stays high: a learning rate is too high, or something is wrong with the data.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace dragoman {

/// Exponential means of the loss per label of an update and of its distance from that mean, over some 50 updates.
struct LossWatch {
  double mean = 0, distance = 0;
  std::int64_t updates = 0;
  int high = 0;  ///< updates in a row with a high loss; not stored: at worst a jump is told a little later

  /// Takes the next loss in. True for a jump: the third high loss in a row. High is, after at least 50 updates, more
  /// than 8 usual distances above the mean, and 1.3 times as high. One batch may be hard; three are no accident.
  bool jumped(double loss) {
    constexpr std::int64_t kMemory = 50;
    const bool told = updates >= kMemory;  // the means are
    const double limit = mean + 8 * distance;
    high = told && loss > limit && loss > 1.3 * mean ? high + 1 : 0;
    const double counted = told ? std::min(loss, limit) : loss;  // what is usual is not for a few to say
    const double share = 1 / static_cast<double>(std::min(++updates, kMemory));
    if (updates > 1) distance += share * (std::fabs(counted - mean) - distance);
    mean += share * (counted - mean);
    return high == 3;
  }
};

}  // namespace dragoman
