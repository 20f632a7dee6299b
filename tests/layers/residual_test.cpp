// Residual around a linear layer, pre-norm and post-norm: the formulas, and gradients against differences.
#include "layers/residual.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/rng.h"
#include "layers/linear.h"
#include "support/gradient_check.h"
#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr Index kRows = 5, kSize = 6;

struct Case {
  ParamStore store;
  Residual residual;
  Linear f;
  Numbers x;
  std::vector<std::uint64_t> keys;
  Workspace workspace;
  Residual::Saved saved;
  ConstMat read;  ///< by f

  Case(bool pre, Real dropout) : x(kRows, kSize, 2, 1) {
    residual = Residual::create(store, "layer", kSize, pre, dropout);
    f = Linear::create(store, "f", kSize, kSize, {Init::Kind::normal, 0.6});
    initialize_with_biases(store, 1);
    for (std::uint64_t i = 0; i < kRows; ++i) keys.push_back(hash_key({3, i}));
  }

  Mat forward() {
    workspace.reset();
    read = residual.before(store.values(), x, workspace, saved);
    const Mat fx = workspace.mat(kRows, kSize);
    f.forward(store.values(), read, fx);
    return residual.after(store.values(), x, fx, keys, workspace, saved);
  }
};

/// Pre-norm and post-norm, without and with dropout.
template <class Check>
void for_each_case(Check check) {
  for (const bool pre : {true, false}) {
    for (const Real dropout : {Real(0), Real(0.4)}) {
      SCOPED_TRACE(std::string(pre ? "pre" : "post") + (dropout == 0 ? "" : ", dropout"));
      Case c(pre, dropout);
      check(c);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

using Rows = std::vector<std::vector<double>>;

Rows rows_of(ConstMat m) {
  Rows rows;
  for (Index i = 0; i < m.rows; ++i) rows.emplace_back(m.row(i), m.row(i) + m.cols);
  return rows;
}

Rows normalized(const Case& c, Rows rows) {
  for (std::vector<double>& row : rows) {
    double mean = 0, variance = 0;
    for (const double number : row) mean += number / kSize;
    for (const double number : row) variance += (number - mean) * (number - mean) / kSize;
    for (Index j = 0; j < kSize; ++j) {
      row[j] = static_cast<double>(c.residual.norm.gain.in(c.store.values())(0, j)) * (row[j] - mean) /
                   std::sqrt(variance + 1e-5) +
               static_cast<double>(c.residual.norm.bias.in(c.store.values())(0, j));
    }
  }
  return rows;
}

/// x + dropout(f(in))
Rows sum(const Case& c, const Rows& in) {
  Numbers mask(kRows, kSize, 4);
  std::fill(mask.data.begin(), mask.data.end(), Real(1));
  Dropout{c.residual.dropout.p, hash_name("layer.residual")}.apply(mask.mat(), c.keys);
  Rows rows = rows_of(c.x);
  for (Index i = 0; i < kRows; ++i) {
    for (Index j = 0; j < kSize; ++j) {
      auto fx = static_cast<double>(c.f.b.in(c.store.values())(0, j));
      for (Index k = 0; k < kSize; ++k) fx += in[i][k] * static_cast<double>(c.f.w.in(c.store.values())(k, j));
      rows[i][j] += fx * static_cast<double>(mask.view()(i, j));
    }
  }
  return rows;
}

TEST(Residual, MatchesTheFormula) {
  for_each_case([](Case& c) {
    const Mat y = c.forward();
    const Rows x = rows_of(c.x);
    const Rows expected = c.residual.pre ? sum(c, normalized(c, x)) : normalized(c, sum(c, x));
    for (Index i = 0; i < kRows; ++i) {
      for (Index j = 0; j < kSize; ++j) ASSERT_NEAR(y(i, j), expected[i][j], 5e-6) << i << ", " << j;
    }
  });
}

TEST(Residual, WithoutKeysNothingIsDropped) {
  for (const bool pre : {true, false}) {
    Case with(pre, Real(0.4)), without(pre, 0);
    EXPECT_FALSE(same_bits(with.forward(), without.forward())) << pre;
    with.keys.clear();
    EXPECT_TRUE(same_bits(with.forward(), without.forward())) << pre;
  }
}

#ifdef DRAGOMAN_DOUBLE
TEST(Residual, GradientsMatchDifferences) {
  for_each_case([](Case& c) {
    c.forward();
    const Numbers dy(kRows, kSize, 5);
    Numbers dx(kRows, kSize, 6, 1), dfx(kRows, kSize, 7), dbefore(kRows, kSize, 8);  // noise, overwritten
    NoisyGradient gradient(c.store.size());
    c.residual.after_backward(c.store.values(), c.saved, dy, c.keys, dx.mat(), dfx.mat(), gradient.grads());
    c.f.backward(c.store.values(), c.read, dfx, dbefore.mat(), gradient.grads());
    c.residual.before_backward(c.store.values(), c.saved, dbefore.mat(), dx.mat(), gradient.grads());
    const auto loss = [&] { return inner_product(c.forward(), dy); };
    const std::vector<Real> added = gradient.added();
    for (const Param& p : c.store.params()) {
      check_gradient(p.name, c.store.data() + p.ref.offset, added.data() + p.ref.offset, p.ref.rows * p.ref.cols, loss);
    }
    for (Index i = 0; i < kRows; ++i) check_gradient("x", c.x.mat().row(i), dx.mat().row(i), kSize, loss);
  });
}
#endif

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
