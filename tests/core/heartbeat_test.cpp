#include "core/heartbeat.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace dragoman {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Waits until it is so; false after ten seconds.
template <class Condition>
bool eventually(Condition condition) {
  for (const auto end = Clock::now() + 10s; Clock::now() < end; std::this_thread::sleep_for(1ms)) {
    if (condition()) return true;
  }
  return false;
}

TEST(Heartbeat, BreaksTheFirstSilenceSoonAndLaterOnesLater) {
  std::atomic<int> times = 0;
  const auto start = Clock::now();
  const Heartbeat heartbeat([&] { ++times; }, 20ms, 1h);
  EXPECT_TRUE(eventually([&] { return times == 1; }));
  EXPECT_GE(Clock::now() - start, 20ms);
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(times, 1) << "an hour is not over";
}

TEST(Heartbeat, GoesOnAsLongAsNothingIsHeard) {
  std::atomic<int> times = 0;
  const Heartbeat heartbeat([&] { ++times; }, 1ms, 1ms);
  EXPECT_TRUE(eventually([&] { return times >= 5; }));
}

TEST(Heartbeat, IsSilentWhereOthersSpeak) {
  std::atomic<int> times = 0;
  Heartbeat heartbeat([&] { ++times; }, 1h, 1h);
  for (int i = 0; i < 20; ++i) heartbeat.heard();
  EXPECT_EQ(times, 0);
}

TEST(Heartbeat, EndsAtOnceAndOutlivesAFailure) {
  {
    const Heartbeat never([] {}, 1h, 1h);
  }
  std::atomic<int> times = 0;
  {
    const Heartbeat heartbeat(
        [&] {
          ++times;
          throw std::runtime_error("the disk is full");
        },
        1ms, 1ms);
    EXPECT_TRUE(eventually([&] { return times > 0; }));
  }
  EXPECT_EQ(times, 1);
}

}  // namespace
}  // namespace dragoman
