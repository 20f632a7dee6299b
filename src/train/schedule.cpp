#include "train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dragoman {

Schedule::Schedule(const ScheduleOptions& options, double base, std::int64_t max_updates)
    : options_(options), base_(base) {
  if (options_.total == 0) options_.total = max_updates;
}

double Schedule::learning_rate(std::int64_t update) const {
  const auto u = static_cast<double>(update);
  const auto warmup = static_cast<double>(options_.warmup);
  const double rate = base_ * state.scale;
  if (u < warmup) return rate * u / warmup;
  if (options_.type == "inverse_sqrt") return rate * std::sqrt(std::max(warmup, 1.0) / u);
  if (options_.type != "linear" && options_.type != "cosine") return rate;
  const double way = std::max(1.0, static_cast<double>(options_.total) - warmup);
  const double done = std::clamp((u - warmup) / way, 0.0, 1.0);
  const double fall = options_.type == "linear" ? 1 - done : (1 + std::cos(std::numbers::pi * done)) / 2;
  return rate * (options_.final_factor + (1 - options_.final_factor) * fall);
}

void Schedule::validated(bool improved) {
  if (options_.type != "plateau") return;
  state.bad = improved ? 0 : state.bad + 1;
  if (state.bad < options_.patience) return;
  state.scale *= options_.factor;
  state.bad = 0;
}

}  // namespace dragoman
