// (1 - p)^2 of the way p from the end of warm-up to `total`, down to final_factor.
#include <algorithm>

#include "extensions/extensions.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

double factor(const ScheduleOptions& options, double update) {
  const double way = std::max(1.0, static_cast<double>(options.total - options.warmup));
  const double left = 1 - std::min((update - static_cast<double>(options.warmup)) / way, 1.0);
  return options.final_factor + (1 - options.final_factor) * left * left;
}

}  // namespace

const ScheduleShape kQuadraticSchedule = {.name = "quadratic", .factor = factor, .has_end = true};

}  // namespace DRAGOMAN_NAMESPACE
