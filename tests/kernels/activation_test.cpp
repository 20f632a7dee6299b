// Every activation of the table against its formula, and backward against differences.
#include "kernels/activation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/gradient_check.h"
#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

#ifdef DRAGOMAN_DOUBLE
constexpr double kBound = 1e-14, kSlopeBound = 1e-8;
#else
constexpr double kBound = 2e-6, kSlopeBound = 2e-6;
#endif

/// f(x) written out; a new activation needs a line here.
double by_definition(const std::string& name, double x) {
  if (name == "relu") return std::max(x, 0.0);
  if (name == "gelu") return x * std::erfc(-x / std::sqrt(2.0)) / 2;  // 1 + erf(z) = erfc(-z)
  if (name == "swish") return x / (1 + std::exp(-x));
  ADD_FAILURE() << "no definition of the activation " << name;
  return 0;
}

/// From -8 to 8, zero left out (relu has no slope there), and large numbers of both signs.
std::vector<Real> arguments() {
  std::vector<Real> xs;
  for (int i = -160; i < 160; ++i) xs.push_back(static_cast<Real>((i + 0.5) / 20));
  for (const double x : {1e-10, 1e-3, 13.0, 20.0, 86.0, 90.0, 100.0, 1e4, 1e30}) {
    xs.push_back(static_cast<Real>(x));
    xs.push_back(static_cast<Real>(-x));
  }
  return xs;
}

ConstMat as_row(const std::vector<Real>& xs) {
  const auto n = static_cast<Index>(xs.size());
  return {xs.data(), 1, n, n};
}

Mat as_row(std::vector<Real>& xs) {
  const auto n = static_cast<Index>(xs.size());
  return {xs.data(), 1, n, n};
}

TEST(Activation, MatchesTheFormula) {
  const std::vector<Real> xs = arguments();
  for (const Activation& activation : activations()) {
    SCOPED_TRACE(activation.name);
    std::vector<Real> ys(xs.size());
    activation.forward(as_row(xs), as_row(ys));
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const double expected = by_definition(activation.name, static_cast<double>(xs[i]));
      ASSERT_NEAR(static_cast<double>(ys[i]), expected, kBound * (1 + std::fabs(expected))) << xs[i];
    }
    std::vector<Real> zero = {0};
    activation.forward(as_row(zero), as_row(zero));
    EXPECT_EQ(zero[0], 0);
  }
}

TEST(Activation, SlopeIsThatOfTheFormula) {
  constexpr double kStep = 1e-6;
  const std::vector<Real> xs = arguments();
  const std::vector<Real> ones(xs.size(), 1);
  for (const Activation& activation : activations()) {
    SCOPED_TRACE(activation.name);
    std::vector<Real> slopes(xs.size());
    activation.backward(as_row(xs), as_row(ones), as_row(slopes));
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const auto x = static_cast<double>(xs[i]);
      double expected = x > 0 ? 1 : 0;  // far from zero, where a step is lost
      if (std::fabs(x) < 1000) {
        const double step = std::min(kStep, std::fabs(x) / 2);
        expected = (by_definition(activation.name, x + step) - by_definition(activation.name, x - step)) / (2 * step);
      }
      ASSERT_NEAR(static_cast<double>(slopes[i]), expected, kSlopeBound) << x;
    }
  }
}

TEST(Activation, ReluIsFlatAtZero) {
  std::vector<Real> x = {0}, dx = {3};
  activation_by_name("relu").backward(as_row(x), as_row(dx), as_row(dx));
  EXPECT_EQ(dx[0], 0);
}

TEST(Activation, RowsMayLieApart) {
  for (const Activation& activation : activations()) {
    SCOPED_TRACE(activation.name);
    for (const Index cols : {1, 7, 8, 19}) {
      const Numbers x(3, cols, 1, 2), dy(3, cols, 2, 1), noise(3, cols, 3, 3);
      Numbers y = noise, dx = noise;
      activation.forward(x, y.mat());
      activation.backward(x, dy, dx.mat());
      for (Index i = 0; i < 3; ++i) {
        for (Index j = 0; j < cols; ++j) {
          const double expected = by_definition(activation.name, static_cast<double>(x.view()(i, j)));
          ASSERT_NEAR(y.view()(i, j), expected, kBound * (1 + std::fabs(expected))) << i << ", " << j;
        }
        for (Index j = cols; j < noise.ld; ++j) {  // what lies between rows is not theirs
          EXPECT_EQ(y.data[i * noise.ld + j], noise.data[i * noise.ld + j]);
          EXPECT_EQ(dx.data[i * noise.ld + j], noise.data[i * noise.ld + j]);
        }
      }
      Numbers in_place = dy;
      activation.backward(x, in_place, in_place.mat());
      EXPECT_TRUE(same_bits(in_place, dx)) << "dx may be dy";
    }
  }
}

#ifdef DRAGOMAN_DOUBLE
TEST(Activation, BackwardMatchesDifferences) {
  for (const Activation& activation : activations()) {
    Numbers x(4, 9, 1, 0, 3);
    const Numbers dy(4, 9, 2);
    for (const Real number : x.data) ASSERT_GT(std::fabs(number), 1e-3) << "at the kink of relu: take another seed";
    Numbers dx(4, 9, 3);
    activation.backward(x, dy, dx.mat());
    check_gradient(activation.name, x.data.data(), dx.data.data(), 36, [&] {
      Numbers y(4, 9, 4);
      activation.forward(x, y.mat());
      return inner_product(y, dy);
    });
  }
}
#endif

TEST(Activation, IsFoundByName) {
  for (const Activation& activation : activations()) {
    EXPECT_EQ(&activation_by_name(activation.name), &activation) << activation.name;
  }
  EXPECT_THROW(activation_by_name("unknown"), std::logic_error);
  EXPECT_THROW(activation_by_name(""), std::logic_error);
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
