// The check of gradients finds wrong ones, and the report says how far off the right ones are.
#include "support/gradient_check.h"

#include <gtest/gtest-spi.h>

#include <vector>

namespace DRAGOMAN_NAMESPACE {
namespace {

#ifdef DRAGOMAN_DOUBLE

/// Of x^2 + 3 y, at (2, 1).
struct Example {
  std::vector<Real> x = {2, 1};
  double loss() const { return x[0] * x[0] + 3 * x[1]; }
};

TEST(GradientCheck, ReportsTheLargestErrorOfAParameter) {
  Example e;
  const std::vector<Real> gradient = {4, 3 + 1e-7};
  GradientReport report;
  check_gradient(
      "example", e.x.data(), gradient.data(), 2, [&] { return e.loss(); }, report);
  const GradientReport::Row row = report.rows().at({"GradientCheck", "example"});
  EXPECT_EQ(row.numbers, 2);
  EXPECT_NEAR(row.error, 1e-7 / 3.01, 1e-9);
  EXPECT_EQ(e.x, std::vector<Real>({2, 1})) << "as they were";
}

TEST(GradientCheck, FindsAWrongNumber) {
  static Example e;
  static const std::vector<Real> gradient = {4, 3.1};
  static GradientReport report;
  EXPECT_FATAL_FAILURE(check_gradient(
                           "wrong", e.x.data(), gradient.data(), 2, [] { return e.loss(); }, report),
                       "wrong[1]");
  EXPECT_GT(report.rows().at({"GradientCheck", "wrong"}).error, 1e-2);
}

#endif

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
