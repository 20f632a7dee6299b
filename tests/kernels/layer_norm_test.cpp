// Layer normalization and its backward against the formulas, written out in double.
#include "kernels/layer_norm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

#ifdef DRAGOMAN_DOUBLE
constexpr double kBound = 1e-13;
#else
constexpr double kBound = 1e-5;
#endif

constexpr Index kRows = 5;

/// What the kernel reads and writes, for rows of one width.
struct Case {
  Numbers x, gain, bias, normalized, y;
  std::vector<Real> inverse_deviation;

  explicit Case(Index cols)
      : x(kRows, cols, 1, 1, 2),
        gain(1, cols, 2),
        bias(1, cols, 3),
        normalized(kRows, cols, 4, 2),
        y(kRows, cols, 5, 3),
        inverse_deviation(kRows, -1) {}

  void forward() {
    layer_norm(x, gain.data.data(), bias.data.data(), normalized.mat(), inverse_deviation.data(), y.mat());
  }
};

/// n and r of one row.
struct Normalized {
  std::vector<double> n;
  double r;
};

Normalized by_definition(const Real* x, Index cols) {
  const auto count = static_cast<double>(cols);
  double mean = 0, variance = 0;
  for (Index j = 0; j < cols; ++j) mean += static_cast<double>(x[j]) / count;
  for (Index j = 0; j < cols; ++j) variance += std::pow(static_cast<double>(x[j]) - mean, 2) / count;
  Normalized row{{}, 1 / std::sqrt(variance + 1e-5)};
  for (Index j = 0; j < cols; ++j) row.n.push_back((static_cast<double>(x[j]) - mean) * row.r);
  return row;
}

TEST(LayerNormKernel, MatchesTheFormulaForEveryWidth) {
  for (const Index cols : {1, 2, 7, 8, 9, 16, 33, 300}) {
    Case c(cols);
    for (Index j = 0; j < cols; ++j) c.x.mat()(1, j) += 5;  // one row with another mean
    c.forward();
    for (Index i = 0; i < kRows; ++i) {
      const Normalized expected = by_definition(c.x.view().row(i), cols);
      ASSERT_NEAR(c.inverse_deviation[i], expected.r, kBound * expected.r) << cols << ", row " << i;
      for (Index j = 0; j < cols; ++j) {
        const double y = static_cast<double>(c.gain.data[j]) * expected.n[j] + static_cast<double>(c.bias.data[j]);
        ASSERT_NEAR(c.normalized.view()(i, j), expected.n[j], kBound) << cols << ", " << i << ", " << j;
        ASSERT_NEAR(c.y.view()(i, j), y, kBound) << cols << ", " << i << ", " << j;
      }
    }
  }
}

TEST(LayerNormKernel, BackwardMatchesTheFormulaAndAdds) {
  for (const Index cols : {1, 2, 7, 8, 33}) {
    Case c(cols);
    c.forward();
    const Numbers dy(kRows, cols, 6, 1);
    Numbers dx(kRows, cols, 7, 2);  // noise, overwritten
    const Numbers start(2, cols, 8);
    Numbers sums = start;  // dgain and dbias
    layer_norm_backward(c.normalized, c.inverse_deviation.data(), c.gain.data.data(), dy, dx.mat(), sums.mat().row(0),
                        sums.mat().row(1));
    for (Index j = 0; j < cols; ++j) {
      auto dgain = static_cast<double>(start.view()(0, j)), dbias = static_cast<double>(start.view()(1, j));
      for (Index i = 0; i < kRows; ++i) {
        dgain += static_cast<double>(dy.view()(i, j)) * static_cast<double>(c.normalized.view()(i, j));
        dbias += static_cast<double>(dy.view()(i, j));
      }
      ASSERT_NEAR(sums.view()(0, j), dgain, kBound) << cols << ", " << j;
      ASSERT_NEAR(sums.view()(1, j), dbias, kBound) << cols << ", " << j;
    }
    for (Index i = 0; i < kRows; ++i) {
      const auto g = [&](Index j) {
        return static_cast<double>(c.gain.data[j]) * static_cast<double>(dy.view()(i, j));
      };
      const auto n = [&](Index j) { return static_cast<double>(c.normalized.view()(i, j)); };
      double mean = 0, mean_n = 0;
      for (Index j = 0; j < cols; ++j) mean += g(j) / static_cast<double>(cols);
      for (Index j = 0; j < cols; ++j) mean_n += g(j) * n(j) / static_cast<double>(cols);
      const auto r = static_cast<double>(c.inverse_deviation[i]);
      for (Index j = 0; j < cols; ++j) {
        ASSERT_NEAR(dx.view()(i, j), r * (g(j) - mean - n(j) * mean_n), kBound * r) << cols << ", " << i << ", " << j;
      }
    }
  }
}

TEST(LayerNormKernel, ConstantRowsGiveTheBias) {
  for (const Index cols : {1, 2, 7, 8, 33}) {
    for (const double number : {0.0, 1.0, 0.1, -3.7, 1e5}) {
      Case c(cols);
      std::fill(c.x.data.begin(), c.x.data.end(), static_cast<Real>(number));
      c.forward();
      // The mean may be off by rounding, which 1 / sqrt(1e-5) enlarges.
      const double bound = 2000 * std::numeric_limits<Real>::epsilon() * std::fabs(number);
      for (Index i = 0; i < kRows; ++i) {
        ASSERT_TRUE(std::isfinite(c.inverse_deviation[i]));
        for (Index j = 0; j < cols; ++j) {
          ASSERT_TRUE(std::isfinite(c.y.view()(i, j))) << cols << ", " << number;
          ASSERT_NEAR(c.y.view()(i, j), c.bias.data[j], bound) << cols << ", " << number;
        }
      }
      Numbers dy(kRows, cols, 6), sums(2, cols, 8);
      layer_norm_backward(c.normalized, c.inverse_deviation.data(), c.gain.data.data(), dy, dy.mat(), sums.mat().row(0),
                          sums.mat().row(1));
      for (const Real d : dy.data) ASSERT_TRUE(std::isfinite(d)) << cols << ", " << number;
      for (const Real d : sums.data) ASSERT_TRUE(std::isfinite(d)) << cols << ", " << number;
    }
  }
}

TEST(LayerNormKernel, WorksInPlace) {
  for (const Index cols : {1, 7, 8, 33}) {
    Case c(cols);
    c.forward();
    Numbers x = c.x, y = c.y;
    std::vector<Real> inverse_deviation(kRows);
    layer_norm(x, c.gain.data.data(), c.bias.data.data(), x.mat(), inverse_deviation.data(), y.mat());
    EXPECT_TRUE(same_bits(x, c.normalized)) << cols;
    EXPECT_TRUE(same_bits(y, c.y)) << cols;
    EXPECT_EQ(inverse_deviation, c.inverse_deviation) << cols;

    const Numbers dy(kRows, cols, 6), start(2, cols, 8);
    Numbers dx(kRows, cols, 7), sums = start, d = dy, sums_in_place = start;
    layer_norm_backward(c.normalized, inverse_deviation.data(), c.gain.data.data(), dy, dx.mat(), sums.mat().row(0),
                        sums.mat().row(1));
    layer_norm_backward(c.normalized, inverse_deviation.data(), c.gain.data.data(), d, d.mat(),
                        sums_in_place.mat().row(0), sums_in_place.mat().row(1));
    EXPECT_TRUE(same_bits(d, dx)) << cols;
    EXPECT_TRUE(same_bits(sums_in_place, sums)) << cols;
  }
}

TEST(LayerNormKernel, RowsDontDependOnEachOther) {
  for (const Index cols : {1, 7, 8, 33}) {
    Case whole(cols);
    whole.forward();
    for (Index i = 0; i < kRows; ++i) {
      Case c(cols);
      for (Index other = 0; other < kRows; ++other) {
        for (Index j = 0; other != i && j < cols; ++j) c.x.mat()(other, j) = std::numeric_limits<Real>::quiet_NaN();
      }
      c.forward();
      EXPECT_TRUE(same_bits(c.y.view().row_range(i, 1), whole.y.view().row_range(i, 1))) << cols << ", row " << i;
      Numbers alone(1, cols, 6), n(1, cols, 7);
      Real r = 0;
      layer_norm(whole.x.view().row_range(i, 1), c.gain.data.data(), c.bias.data.data(), n.mat(), &r, alone.mat());
      EXPECT_TRUE(same_bits(alone, whole.y.view().row_range(i, 1))) << cols << ", row " << i;
      EXPECT_EQ(r, whole.inverse_deviation[i]) << cols << ", row " << i;
    }
  }
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
