// Learning-rate schedules. Updates count from 1.
#pragma once

#include <cstdint>

#include "train/train_options.h"

namespace dragoman {

/// learning_rate(u) = base x warm-up(u) x shape(u):
///   warm-up       u / warmup while u < warmup, else 1
///   constant      1
///   inverse_sqrt  sqrt(warmup / u) from u = warmup on (Vaswani et al. 2017, equation 3, in terms of its peak)
///   linear        falls from 1 at the end of warm-up to final_factor at `total`
///   cosine        f + (1 - f)(1 + cos(pi p)) / 2, p the share of the way from warm-up to `total`
///   plateau       factor^k, k grows by one after `patience` validations in a row without improvement
class Schedule {
 public:
  Schedule(const ScheduleOptions& options, double base, std::int64_t max_updates);

  [[nodiscard]] double learning_rate(std::int64_t update) const;
  /// Tells the plateau schedule of a validation.
  void validated(bool improved);

  /// The plateau's state, for checkpoints.
  struct State {
    double scale = 1;
    std::int64_t bad = 0;
  };
  State state;

 private:
  ScheduleOptions options_;
  double base_;
};

}  // namespace dragoman
