#include "core/profile.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

namespace dragoman {
namespace {

using Clock = std::chrono::steady_clock;

struct ThreadTimes {
  Part part = Part::idle;
  Clock::time_point since;
  std::array<Clock::duration, kPartNames.size()> spent{};
};

std::mutex mutex;
std::vector<std::unique_ptr<ThreadTimes>> all_threads;  // those of ended threads stay

ThreadTimes& of_this_thread() {
  thread_local ThreadTimes* times = [] {
    const std::lock_guard lock(mutex);
    return all_threads.emplace_back(std::make_unique<ThreadTimes>()).get();
  }();
  return *times;
}

}  // namespace

bool Profile::on = false;

void Profile::start() {
  const std::lock_guard lock(mutex);
  for (const auto& times : all_threads) times->spent = {};
  on = true;
}

Profile::Seconds Profile::seconds() {
  const std::lock_guard lock(mutex);
  Seconds sum{};
  for (const auto& times : all_threads) {
    for (std::size_t p = 1; p < sum.size(); ++p) sum[p] += std::chrono::duration<double>(times->spent[p]).count();
  }
  return sum;
}

Part Profile::enter(Part part) {
  ThreadTimes& times = of_this_thread();
  const Clock::time_point now = Clock::now();
  const Part outer = times.part;
  times.spent[static_cast<std::size_t>(outer)] += now - times.since;
  times.part = part;
  times.since = now;
  return outer;
}

}  // namespace dragoman
