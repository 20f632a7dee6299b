// Learning-rate schedules. Updates count from 1.
#pragma once

#include <cstdint>

#include "train/schedule_shapes.h"

namespace dragoman {

/// learning_rate(u) = base x (u / warmup while u < warmup, then the factor of its shape). A shape that watches validation
/// multiplies it by `factor` after each `patience` validations in a row without improvement.
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
  const ScheduleShape& shape_;
  double base_;
};

}  // namespace dragoman
