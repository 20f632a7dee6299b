// Learning rates, against values computed by hand.
#include "train/schedule.h"

#include <gtest/gtest.h>

#include <vector>

namespace dragoman {
namespace {

struct Expected {
  std::int64_t update;
  double rate;
};

void expect_rates(const ScheduleOptions& options, double base, std::int64_t max_updates,
                  const std::vector<Expected>& expected) {
  const Schedule schedule(options, base, max_updates);
  for (const Expected& e : expected) {
    EXPECT_NEAR(schedule.learning_rate(e.update), e.rate, 1e-15) << options.type << ", update " << e.update;
  }
}

ScheduleOptions of_type(const std::string& type, std::int64_t warmup, std::int64_t total = 0, double final_factor = 0) {
  ScheduleOptions options;
  options.type = type;
  options.warmup = warmup;
  options.total = total;
  options.final_factor = final_factor;
  return options;
}

TEST(Schedule, ConstantStaysAfterItsWarmup) {
  expect_rates(of_type("constant", 0), 0.5, 0, {{1, 0.5}, {2, 0.5}, {100000, 0.5}});
  expect_rates(of_type("constant", 4), 0.5, 0, {{1, 0.125}, {2, 0.25}, {3, 0.375}, {4, 0.5}, {5, 0.5}});
}

TEST(Schedule, InverseSqrtFallsFromItsPeak) {
  expect_rates(of_type("inverse_sqrt", 4), 0.2, 0, {{1, 0.05}, {3, 0.15}, {4, 0.2}, {16, 0.1}, {400, 0.02}});
}

TEST(Schedule, LinearReachesItsLowestRateAtTotal) {
  expect_rates(of_type("linear", 0, 10), 0.1, 0, {{1, 0.09}, {5, 0.05}, {10, 0}, {99, 0}});
  expect_rates(of_type("linear", 2, 12, 0.2), 1, 0, {{1, 0.5}, {2, 1}, {7, 0.6}, {12, 0.2}, {50, 0.2}});
}

TEST(Schedule, CosineReachesItsLowestRateAtTotal) {
  // (1 + cos(pi/3)) / 2 = 3/4
  expect_rates(of_type("cosine", 0, 6), 0.1, 0, {{2, 0.075}, {3, 0.05}, {4, 0.025}, {6, 0}, {7, 0}});
  expect_rates(of_type("cosine", 2, 8, 0.5), 1, 0, {{1, 0.5}, {2, 1}, {4, 0.875}, {5, 0.75}, {8, 0.5}});
}

TEST(Schedule, TotalIsMaxUpdatesUnlessGiven) {
  expect_rates(of_type("linear", 0), 0.1, 20, {{10, 0.05}, {20, 0}});
  expect_rates(of_type("linear", 0, 40), 0.1, 20, {{10, 0.075}, {20, 0.05}});
}

TEST(Schedule, AWarmupAsLongAsTheWayDividesByNothing) {
  expect_rates(of_type("linear", 5, 5, 0.5), 1, 0, {{4, 0.8}, {5, 1}, {6, 0.5}, {7, 0.5}});
}

TEST(Schedule, PlateauReducesAfterSoManyValidationsInARowWithoutImprovement) {
  ScheduleOptions options = of_type("plateau", 2);
  options.factor = 0.5;
  options.patience = 2;
  Schedule schedule(options, 0.8, 0);
  EXPECT_DOUBLE_EQ(schedule.learning_rate(1), 0.4);
  EXPECT_DOUBLE_EQ(schedule.learning_rate(2), 0.8);
  schedule.validated(false);
  schedule.validated(true);
  schedule.validated(false);
  EXPECT_DOUBLE_EQ(schedule.learning_rate(9), 0.8) << "not in a row";
  schedule.validated(false);
  EXPECT_DOUBLE_EQ(schedule.learning_rate(9), 0.4);
  EXPECT_DOUBLE_EQ(schedule.learning_rate(1), 0.2) << "the warm-up leads to the reduced rate";
  schedule.validated(false);
  EXPECT_DOUBLE_EQ(schedule.learning_rate(9), 0.4) << "counted anew";
  schedule.validated(false);
  EXPECT_DOUBLE_EQ(schedule.learning_rate(9), 0.2);
}

TEST(Schedule, APlateauGoesOnFromItsState) {
  ScheduleOptions options = of_type("plateau", 0);
  options.patience = 2;
  Schedule first(options, 1, 0);
  for (int i = 0; i < 3; ++i) first.validated(false);
  Schedule second(options, 1, 0);
  second.state = first.state;
  for (Schedule* schedule : {&first, &second}) {
    EXPECT_DOUBLE_EQ(schedule->learning_rate(7), 0.5);
    schedule->validated(false);
    EXPECT_DOUBLE_EQ(schedule->learning_rate(7), 0.25);
  }
}

TEST(Schedule, OtherTypesIgnoreValidations) {
  Schedule schedule(of_type("constant", 0), 0.3, 0);
  for (int i = 0; i < 5; ++i) schedule.validated(false);
  EXPECT_EQ(schedule.learning_rate(6), 0.3);
}

}  // namespace
}  // namespace dragoman
