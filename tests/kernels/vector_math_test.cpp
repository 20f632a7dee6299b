// exp, tanh, sigmoid and erf against the standard library; sums against plain loops.
#include "kernels/vector_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

#ifdef DRAGOMAN_DOUBLE
constexpr double kExpBound = 1e-15, kTanhBound = 1e-15, kErfBound = 1e-15;
#else
constexpr double kExpBound = 2e-7, kTanhBound = 4e-7, kErfBound = 5e-7;  // as vector_math.h says
#endif

/// Numbers from low to high, close together, and powers of two around zero.
std::vector<Real> grid(double low, double high) {
  std::vector<Real> xs;
  constexpr int kSteps = 400000;
  for (int i = 0; i <= kSteps; ++i) xs.push_back(static_cast<Real>(low + (high - low) * i / kSteps));
  for (int power = 1; power < 60; ++power) {
    for (const double sign : {-1.0, 1.0}) {
      const auto x = static_cast<Real>(sign * std::ldexp(1.3, -power));
      if (x >= low && x <= high) xs.push_back(x);
    }
  }
  return xs;
}

/// The largest |f(x) - exact(x)| / |exact(x)|, or without the divisor; f runs in a vector loop, as in the kernels, and
/// one by one.
template <class F, class Exact>
double worst_error(const std::vector<Real>& xs, F f, Exact exact, bool relative = true) {
  std::vector<Real> ys(xs.size());
#pragma omp simd
  for (std::size_t i = 0; i < xs.size(); ++i) ys[i] = f(xs[i]);
  double worst = 0;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const double wanted = exact(static_cast<double>(xs[i]));
    const double unit = relative ? std::fabs(wanted) : 1;
    if (unit == 0) continue;
    worst = std::max(worst, std::fabs(static_cast<double>(ys[i]) - wanted) / unit);
    if (i % 7 == 0) worst = std::max(worst, std::fabs(static_cast<double>(f(xs[i])) - wanted) / unit);
  }
  return worst;
}

TEST(VectorMath, ExpStaysWithinItsBound) {
  const auto exact = [](double x) { return std::exp(x); };
  EXPECT_LT(worst_error(
                grid(-87, 88), [](Real x) { return exp_of(x); }, exact),
            kExpBound);
  EXPECT_LT(worst_error(
                grid(-2, 2), [](Real x) { return exp_of(x); }, exact),
            kExpBound);
  EXPECT_EQ(exp_of(0), 1);
}

TEST(VectorMath, TanhStaysWithinItsBound) {
  const auto exact = [](double x) { return std::tanh(x); };
  EXPECT_LT(worst_error(
                grid(-20, 20), [](Real x) { return tanh_of(x); }, exact),
            kTanhBound);
  EXPECT_LT(worst_error(
                grid(-0.5, 0.5), [](Real x) { return tanh_of(x); }, exact),
            kTanhBound);
  EXPECT_EQ(tanh_of(0), 0);
}

TEST(VectorMath, SigmoidStaysWithinItsBound) {
  const auto exact = [](double x) { return 1 / (1 + std::exp(-x)); };
  EXPECT_LT(worst_error(
                grid(-85, 85), [](Real x) { return sigmoid_of(x); }, exact),
            kTanhBound);
  EXPECT_EQ(sigmoid_of(0), Real(0.5));
}

TEST(VectorMath, ErfStaysWithinItsBound) {
  const auto exact = [](double x) { return std::erf(x); };
  for (const double high : {10.0, 1.0, 0.1}) {
    EXPECT_LT(worst_error(
                  grid(-high, high), [](Real x) { return erf_of(x); }, exact, false),
              kErfBound)
        << high;
  }
  for (const Real x : {Real(0), Real(0.3), Real(2), Real(7)}) EXPECT_EQ(erf_of(-x), -erf_of(x)) << x;
}

TEST(VectorMath, LargeArgumentsSaturate) {
  for (const Real x : {Real(100), Real(1e4), Real(1e30), std::numeric_limits<Real>::infinity()}) {
    EXPECT_EQ(tanh_of(x), 1);
    EXPECT_EQ(tanh_of(-x), -1);
    EXPECT_EQ(erf_of(x), 1);
    EXPECT_EQ(erf_of(-x), -1);
    EXPECT_EQ(sigmoid_of(x), 1);
    EXPECT_LT(sigmoid_of(-x), 1e-37);
    EXPECT_GE(sigmoid_of(-x), 0);
    EXPECT_LT(exp_of(-x), 1e-37);
    EXPECT_GT(exp_of(x), 1e38);
  }
}

TEST(VectorMath, NanComesOutAsNan) {
  constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_TRUE(std::isnan(exp_of(kNan)));
  EXPECT_TRUE(std::isnan(tanh_of(kNan)));
  EXPECT_TRUE(std::isnan(sigmoid_of(kNan)));
  EXPECT_TRUE(std::isnan(erf_of(kNan)));
  std::vector<Real> xs(100, kNan);  // in vector loops too
  std::vector<Real> exps(xs.size()), tanhs(xs.size()), sigmoids(xs.size()), erfs(xs.size());
#pragma omp simd
  for (std::size_t i = 0; i < xs.size(); ++i) {
    exps[i] = exp_of(xs[i]);
    tanhs[i] = tanh_of(xs[i]);
    sigmoids[i] = sigmoid_of(xs[i]);
    erfs[i] = erf_of(xs[i]);
  }
  for (std::size_t i = 0; i < xs.size(); ++i) {
    EXPECT_TRUE(std::isnan(exps[i]) && std::isnan(tanhs[i]) && std::isnan(sigmoids[i]) && std::isnan(erfs[i])) << i;
  }
}

TEST(VectorMath, MaximumIsThatOfAPlainLoopForEveryLength) {
  for (Index n = 1; n <= 70; ++n) {
    std::vector<Real> x = random_numbers(n, static_cast<std::uint64_t>(n));
    EXPECT_EQ(max_of(x.data(), n), *std::max_element(x.begin(), x.end())) << n;
    for (Index at = 0; at < n; ++at) {
      x[at] += 100;
      EXPECT_EQ(max_of(x.data(), n), x[at]) << n << ", " << at;
      x[at] -= 200;
    }
  }
}

TEST(VectorMath, SumsAndProductsMatchPlainLoops) {
  for (const Index n : {0, 1, 7, 8, 16, 33, 257}) {
    const std::vector<Real> a = random_numbers(n, 1);
    std::vector<Real> b = random_numbers(n, 2);
    double sum = 0, product = 0, size = 0;
    for (Index i = 0; i < n; ++i) {
      sum += static_cast<double>(a[i]);
      product += static_cast<double>(a[i]) * static_cast<double>(b[i]);
      size += std::fabs(static_cast<double>(a[i])) * (1 + std::fabs(static_cast<double>(b[i])));
    }
    const double bound = static_cast<double>(n) * std::numeric_limits<Real>::epsilon() * size;
    EXPECT_NEAR(sum_of(n, [&](Index i) { return a[i]; }), sum, bound) << n;
    EXPECT_NEAR(dot(a.data(), b.data(), n), product, bound) << n;
    const std::vector<Real> before = b;
    add_scaled(Real(-0.75), a.data(), b.data(), n);
    for (Index i = 0; i < n; ++i) EXPECT_NEAR(b[i], before[i] - Real(0.75) * a[i], 1e-6) << n;
  }
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
