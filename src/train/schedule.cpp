#include "train/schedule.h"

namespace dragoman {

Schedule::Schedule(const ScheduleOptions& options, double base, std::int64_t max_updates)
    : options_(options), shape_(schedule_shapes().at(options.type)), base_(base) {
  if (options_.total == 0) options_.total = max_updates;
}

double Schedule::learning_rate(std::int64_t update) const {
  const auto u = static_cast<double>(update);
  const auto warmup = static_cast<double>(options_.warmup);
  const double rate = base_ * state.scale;
  if (u < warmup) return rate * u / warmup;
  return shape_.factor != nullptr ? rate * shape_.factor(options_, u) : rate;
}

void Schedule::validated(bool improved) {
  if (!shape_.watches_validation) return;
  state.bad = improved ? 0 : state.bad + 1;
  if (state.bad < options_.patience) return;
  state.scale *= options_.factor;
  state.bad = 0;
}

}  // namespace dragoman
