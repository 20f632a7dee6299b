// The table of learning-rate schedules: what follows warm-up.
#pragma once

#include "core/table.h"
#include "train/train_options.h"

namespace dragoman {

struct ScheduleShape {
  const char* name;
  /// Factor on the rate at an update that is not within warm-up; options.total is known. Null: 1.
  double (*factor)(const ScheduleOptions& options, double update) = nullptr;
  bool needs_warmup = false;
  bool has_end = false;             ///< reads total and final_factor; max_updates is part of what it computes
  bool watches_validation = false;  ///< reads factor and patience
};

extern const ScheduleShape kConstant;  ///< 1
extern const ScheduleShape
    kInverseSqrt;                     ///< sqrt(warmup / u)   (Vaswani et al. 2017, equation 3, in terms of its peak)
extern const ScheduleShape kLinear;   ///< falls from 1 at the end of warm-up to f = final_factor at `total`
extern const ScheduleShape kCosine;   ///< f + (1 - f)(1 + cos(pi p)) / 2, p the share of the way to `total`
extern const ScheduleShape kPlateau;  ///< factor^k, k grows by one after `patience` validations without improvement

Table<ScheduleShape>& schedule_shapes();

}  // namespace dragoman
