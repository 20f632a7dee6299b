// Softmax and its backward against the formulas, written out in double.
#include "kernels/softmax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/gradient_check.h"
#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

#ifdef DRAGOMAN_DOUBLE
constexpr double kBound = 1e-14;
#else
constexpr double kBound = 2e-6;
#endif

std::vector<double> softmax_by_definition(const std::vector<Real>& x) {
  const double highest = *std::max_element(x.begin(), x.end());
  std::vector<double> p;
  double sum = 0;
  for (const Real value : x) p.push_back(std::exp(static_cast<double>(value) - highest));
  for (const double value : p) sum += value;
  for (double& value : p) value /= sum;
  return p;
}

TEST(Softmax, MatchesTheFormulaForEveryWidth) {
  for (const Index n : {1, 2, 7, 8, 9, 16, 31, 100, 1001}) {
    std::vector<Real> x = random_numbers(n, 1, 3);
    const std::vector<double> expected = softmax_by_definition(x);
    softmax(x.data(), n);
    for (Index i = 0; i < n; ++i) {
      ASSERT_NEAR(static_cast<double>(x[i]), expected[i], kBound * expected[i]) << n << " [" << i << "]";
    }
  }
}

TEST(Softmax, IsSafeForLargeNumbers) {
  std::vector<Real> x = {Real(1000), Real(999), Real(-1000)};
  softmax(x.data(), 3);
  EXPECT_NEAR(x[0], 1 / (1 + std::exp(-1.0)), kBound);
  EXPECT_NEAR(x[1], 1 / (1 + std::exp(1.0)), kBound);
  EXPECT_NEAR(x[2], 0, kBound);
  std::vector<Real> low = {Real(-5000), Real(-5000)};
  softmax(low.data(), 2);
  EXPECT_EQ(low[0], Real(0.5));
  EXPECT_EQ(low[1], Real(0.5));
}

TEST(Softmax, BackwardMatchesTheJacobian) {
  for (const Index n : {1, 3, 8, 21}) {
    std::vector<Real> p = random_numbers(n, 2);
    softmax(p.data(), n);
    std::vector<Real> dp = random_numbers(n, 3);
    std::vector<double> expected(n);  // dx_j = sum_i dp_i p_i ([i = j] - p_j)
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        expected[j] +=
            static_cast<double>(dp[i]) * static_cast<double>(p[i]) * ((i == j ? 1.0 : 0.0) - static_cast<double>(p[j]));
      }
    }
    std::vector<Real> dx(n);
    softmax_backward(p.data(), dp.data(), dx.data(), n);
    for (Index j = 0; j < n; ++j) ASSERT_NEAR(static_cast<double>(dx[j]), expected[j], kBound) << n << " [" << j << "]";
    softmax_backward(p.data(), dp.data(), dp.data(), n);  // in place
    EXPECT_EQ(dp, dx);
  }
}

TEST(Softmax, ColumnsMatchRowsForEveryHeightAndRange) {
  constexpr double kRounding = sizeof(Real) == 8 ? 1e-14 : 1e-6;
  for (const Index rows : {1, 2, 5, 16, 33}) {
    constexpr Index kColumns = 19;
    Numbers x(rows, kColumns, 1, 3, 3.0), dp(rows, kColumns, 2), dx(rows, kColumns, 3);
    const Numbers before = x;
    std::vector<Real> seen, scratch(2 * kColumns);
    for (Index i = 0; i < kColumns; ++i) seen.push_back(static_cast<Real>(1 + (3 * i) % rows));
    softmax_columns(x.mat(), seen.data(), scratch.data());
    softmax_columns_backward(x, dp, dx.mat(), scratch.data());
    for (Index i = 0; i < kColumns; ++i) {
      const auto n = static_cast<Index>(seen[i]);
      std::vector<Real> p, d, expected(static_cast<std::size_t>(rows));
      for (Index j = 0; j < rows; ++j) {
        p.push_back(before.view()(j, i));
        d.push_back(dp.view()(j, i));
      }
      softmax(p.data(), n);
      std::fill(p.begin() + n, p.end(), Real(0));
      softmax_backward(p.data(), d.data(), expected.data(), rows);
      for (Index j = 0; j < rows; ++j) {
        EXPECT_NEAR(x.view()(j, i), p[j], kRounding) << j << " of " << rows << ", column " << i;
        EXPECT_NEAR(dx.view()(j, i), expected[j], 5 * kRounding) << j << " of " << rows << ", column " << i;
      }
    }
  }
}

#ifdef DRAGOMAN_DOUBLE
TEST(Softmax, BackwardMatchesDifferences) {
  std::vector<Real> x = random_numbers(9, 4);
  const std::vector<Real> dp = random_numbers(9, 5);
  std::vector<Real> p = x;
  softmax(p.data(), 9);
  std::vector<Real> dx(9);
  softmax_backward(p.data(), dp.data(), dx.data(), 9);
  check_gradient("x", x.data(), dx.data(), 9, [&] {
    std::vector<Real> probabilities = x;
    softmax(probabilities.data(), 9);
    return inner_product({probabilities.data(), 1, 9, 9}, {dp.data(), 1, 9, 9});
  });
}
#endif

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
