// FeedForward with every activation: the formula, and gradients against differences.
#include "layers/feed_forward.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/rng.h"
#include "support/gradient_check.h"
#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr Index kRows = 6, kSize = 4, kInner = 7;

struct Case {
  ParamStore store;
  FeedForward layer;
  Numbers x;
  std::vector<std::uint64_t> keys;
  Workspace workspace;
  FeedForward::Saved saved;

  Case(const Activation& activation, Real dropout) : x(kRows, kSize, 2, 1) {
    layer = FeedForward::create(store, "layer", kSize, kInner, activation, dropout, {Init::Kind::normal, 0.6});
    initialize_with_biases(store, 1);
    for (std::uint64_t i = 0; i < kRows; ++i) keys.push_back(hash_key({3, i}));
  }

  Mat forward() {
    workspace.reset();
    return layer.forward(store.values(), x, keys, workspace, saved);
  }
};

/// Each activation without and with dropout.
template <class Check>
void for_each_case(Check check) {
  for (const Activation& activation : activations()) {
    for (const Real dropout : {Real(0), Real(0.4)}) {
      SCOPED_TRACE(std::string(activation.name) + (dropout == 0 ? "" : ", dropout"));
      Case c(activation, dropout);
      check(c);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(FeedForward, IsTwoLinearLayersAroundAnActivation) {
  for_each_case([](Case& c) {
    const Mat y = c.forward();
    Numbers inner(kRows, kInner, 4);
    for (Index i = 0; i < kRows; ++i) {
      for (Index a = 0; a < kInner; ++a) {
        inner.mat()(i, a) = c.layer.first.b.in(c.store.values())(0, a);
        for (Index k = 0; k < kSize; ++k) {
          inner.mat()(i, a) += c.x.view()(i, k) * c.layer.first.w.in(c.store.values())(k, a);
        }
      }
    }
    Numbers after(kRows, kInner, 5);
    c.layer.activation->forward(inner, after.mat());
    Dropout{c.layer.dropout.p, hash_name("layer")}.apply(after.mat(), c.keys);
    for (Index i = 0; i < kRows; ++i) {
      for (Index j = 0; j < kSize; ++j) {
        auto expected = static_cast<double>(c.layer.second.b.in(c.store.values())(0, j));
        for (Index a = 0; a < kInner; ++a) {
          expected += static_cast<double>(after.view()(i, a)) *
                      static_cast<double>(c.layer.second.w.in(c.store.values())(a, j));
        }
        ASSERT_NEAR(y(i, j), expected, 5e-6) << i << ", " << j;
      }
    }
  });
}

TEST(FeedForward, WithoutKeysNothingIsDropped) {
  for (const Activation& activation : activations()) {
    Case with(activation, Real(0.4)), without(activation, 0);
    EXPECT_FALSE(same_bits(with.forward(), without.forward())) << activation.name;
    with.keys.clear();
    EXPECT_TRUE(same_bits(with.forward(), without.forward())) << activation.name;
  }
}

#ifdef DRAGOMAN_DOUBLE
TEST(FeedForward, GradientsMatchDifferencesForEveryActivation) {
  for_each_case([](Case& c) {
    c.forward();
    if (c.layer.activation == &activation_by_name("relu")) {
      for (Index i = 0; i < kRows; ++i) {
        for (Index a = 0; a < kInner; ++a) {
          ASSERT_GT(std::fabs(c.saved.before(i, a)), 1e-3) << "at the kink: take another seed";
        }
      }
    }
    const Numbers dy(kRows, kSize, 6);
    Numbers dx(kRows, kSize, 7, 1);  // noise, overwritten
    NoisyGradient gradient(c.store.size());
    c.layer.backward(c.store.values(), c.saved, dy, c.keys, dx.mat(), gradient.grads(), c.workspace);
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
