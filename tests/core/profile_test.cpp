// Time belongs to the innermost open part.
#include "core/profile.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace dragoman {
namespace {

void pass(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

double of(const Profile::Seconds& seconds, Part part) { return seconds[static_cast<std::size_t>(part)]; }

TEST(Profile, GivesTimeToTheInnermostPartAndAddsUpOverThreads) {
  Profile::start();
  std::jthread([] {
    const Profile::Scope outer(Part::other);
    pass(20);
    {
      const Profile::Scope inner(Part::attention);
      pass(30);
    }
    pass(10);
  }).join();
  {
    const Profile::Scope scope(Part::attention);
    pass(15);
  }
  pass(5);  // idle
  const Profile::Seconds found = Profile::seconds();
  EXPECT_GE(of(found, Part::other), 0.030);
  EXPECT_GE(of(found, Part::attention), 0.045);
  EXPECT_EQ(of(found, Part::products), 0);
  EXPECT_EQ(of(found, Part::idle), 0);
  Profile::start();
  EXPECT_EQ(of(Profile::seconds(), Part::attention), 0);
}

}  // namespace
}  // namespace dragoman
