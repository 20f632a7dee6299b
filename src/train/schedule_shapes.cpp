#include "train/schedule_shapes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dragoman {
namespace {

double inverse_sqrt(const ScheduleOptions& options, double update) {
  return std::sqrt(std::max(static_cast<double>(options.warmup), 1.0) / update);
}

/// Share of the way from the end of warm-up to `total`.
double done(const ScheduleOptions& options, double update) {
  const auto warmup = static_cast<double>(options.warmup);
  const double way = std::max(1.0, static_cast<double>(options.total) - warmup);
  return std::clamp((update - warmup) / way, 0.0, 1.0);
}

double towards_end(const ScheduleOptions& options, double share) {
  return options.final_factor + (1 - options.final_factor) * share;
}

double linear(const ScheduleOptions& options, double update) { return towards_end(options, 1 - done(options, update)); }

double cosine(const ScheduleOptions& options, double update) {
  return towards_end(options, (1 + std::cos(std::numbers::pi * done(options, update))) / 2);
}

}  // namespace

const ScheduleShape kConstant = {.name = "constant"};
const ScheduleShape kInverseSqrt = {.name = "inverse_sqrt", .factor = inverse_sqrt, .needs_warmup = true};
const ScheduleShape kLinear = {.name = "linear", .factor = linear, .has_end = true};
const ScheduleShape kCosine = {.name = "cosine", .factor = cosine, .has_end = true};
const ScheduleShape kPlateau = {.name = "plateau", .watches_validation = true};

Table<ScheduleShape>& schedule_shapes() {
  static Table<ScheduleShape> table("schedule", {&kConstant, &kInverseSqrt, &kLinear, &kCosine, &kPlateau});
  return table;
}

}  // namespace dragoman
