// LayerNorm: starting values, shapes, and gradients against differences.
#include "layers/layer_norm.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "support/gradient_check.h"
#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr Index kRows = 4;

TEST(LayerNorm, StartsAsPlainNormalization) {
  ParamStore store;
  const LayerNorm layer = LayerNorm::create(store, "layer", 6);
  store.initialize(1);
  ASSERT_EQ(store.params().size(), 2U);
  for (const char* name : {"layer.gain", "layer.bias"}) {
    ASSERT_NE(store.find(name), nullptr) << name;
    EXPECT_FALSE(store.find(name)->decay) << name;
  }
  for (Index j = 0; j < 6; ++j) {
    EXPECT_EQ(layer.gain.in(store.values())(0, j), 1);
    EXPECT_EQ(layer.bias.in(store.values())(0, j), 0);
  }
  Workspace workspace;
  LayerNorm::Saved saved;
  const Mat y = layer.forward(store.values(), Numbers(kRows, 6, 2), workspace, saved);
  EXPECT_TRUE(same_bits(y, saved.normalized));
}

TEST(LayerNorm, RefusesOtherWidths) {
  ParamStore store;
  const LayerNorm layer = LayerNorm::create(store, "layer", 6);
  store.initialize(1);
  Workspace workspace;
  LayerNorm::Saved saved;
  EXPECT_THROW(layer.forward(store.values(), Numbers(kRows, 5, 2), workspace, saved), std::logic_error);
}

#ifdef DRAGOMAN_DOUBLE
TEST(LayerNorm, GradientsMatchDifferences) {
  for (const Index size : {1, 2, 3, 8, 17}) {
    SCOPED_TRACE(size);
    ParamStore store;
    const LayerNorm layer = LayerNorm::create(store, "layer", size);
    initialize_with_biases(store, 1);
    Numbers x(kRows, size, 2, 1);
    const Numbers dy(kRows, size, 3);
    Workspace workspace;
    LayerNorm::Saved saved;
    layer.forward(store.values(), x, workspace, saved);
    NoisyGradient gradient(store.size());
    Numbers dx(kRows, size, 4, 1);  // noise, overwritten
    layer.backward(store.values(), saved, dy, dx.mat(), gradient.grads());
    Numbers in_place = dy;
    NoisyGradient again(store.size());
    layer.backward(store.values(), saved, in_place, in_place.mat(), again.grads());
    EXPECT_TRUE(same_bits(in_place, dx));
    EXPECT_EQ(again.added(), gradient.added());

    const auto loss = [&] {
      workspace.reset();
      LayerNorm::Saved other;
      return inner_product(layer.forward(store.values(), x, workspace, other), dy);
    };
    for (Index i = 0; i < kRows; ++i) check_gradient("x", x.mat().row(i), dx.mat().row(i), size, loss);
    const std::vector<Real> added = gradient.added();
    for (const Param& p : store.params()) {
      check_gradient(p.name, store.data() + p.ref.offset, added.data() + p.ref.offset, size, loss);
    }
    if (HasFatalFailure()) return;
  }
}
#endif

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
