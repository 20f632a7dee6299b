// Linear and Embedding: forward against loops, gradients against differences.
#include "layers/linear.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "layers/embedding.h"
#include "support/gradient_check.h"
#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

const Init kNormal{Init::Kind::normal, 0.5};

TEST(Linear, IsAProductPlusABias) {
  for (const bool bias : {true, false}) {
    ParamStore store;
    const Linear layer = Linear::create(store, "layer", 3, 5, kNormal, bias);
    initialize_with_biases(store, 1);
    const Numbers x(4, 3, 2, 2);
    Numbers y(4, 5, 3, 1);
    const ConstMat w = layer.w.in(store.values());
    const auto expected = [&](Index i, Index j) {
      double sum = bias ? static_cast<double>(layer.b.in(store.values())(0, j)) : 0;
      for (Index k = 0; k < 3; ++k) sum += static_cast<double>(x.view()(i, k)) * static_cast<double>(w(k, j));
      return sum;
    };
    layer.forward(store.values(), x, y.mat());
    for (Index i = 0; i < 4; ++i) {
      for (Index j = 0; j < 5; ++j) EXPECT_NEAR(y.mat()(i, j), expected(i, j), 1e-6) << i << ", " << j;
    }
    layer.forward_add(store.values(), x, y.mat());  // without the bias
    for (Index i = 0; i < 4; ++i) {
      for (Index j = 0; j < 5; ++j) {
        const double b = bias ? static_cast<double>(layer.b.in(store.values())(0, j)) : 0;
        EXPECT_NEAR(y.mat()(i, j), 2 * expected(i, j) - b, 1e-6) << i << ", " << j;
      }
    }
  }
}

TEST(Linear, RefusesOtherShapes) {
  ParamStore store;
  const Linear layer = Linear::create(store, "layer", 3, 5, kNormal);
  store.initialize(1);
  const Numbers narrow(4, 2, 1);
  Numbers y(4, 5, 2);
  Numbers short_y(3, 5, 2);
  EXPECT_THROW(layer.forward(store.values(), narrow, y.mat()), std::logic_error);
  EXPECT_THROW(layer.forward(store.values(), Numbers(4, 3, 1), short_y.mat()), std::logic_error);
}

#ifdef DRAGOMAN_DOUBLE

TEST(Linear, GradientsMatchDifferences) {
  for (const bool bias : {true, false}) {
    for (const bool accumulate : {false, true}) {
      ParamStore store;
      const Linear layer = Linear::create(store, "layer", 3, 5, kNormal, bias);
      initialize_with_biases(store, 1);
      Numbers x(7, 3, 2);
      const Numbers dy(7, 5, 3);
      const auto loss = [&] {
        Numbers y(7, 5, 4);
        layer.forward(store.values(), x, y.mat());
        return inner_product(y, dy);
      };
      NoisyGradient gradient(store.size());
      const Numbers noise(7, 3, 6);
      Numbers dx = noise;  // overwritten unless accumulate
      layer.backward(store.values(), x, dy, dx.mat(), gradient.grads(), accumulate);
      for (Index i = 0; accumulate && i < 21; ++i) dx.data[i] -= noise.data[i];
      check_gradient("x", x.data.data(), dx.data.data(), 21, loss);
      const std::vector<Real> added = gradient.added();
      check_gradient("parameters", store.data(), added.data(), static_cast<Index>(store.size()), loss);
      NoisyGradient only_weights(store.size());
      layer.backward(store.values(), x, dy, {}, only_weights.grads());
      for (std::size_t i = 0; i < added.size(); ++i) ASSERT_NEAR(only_weights.added()[i], added[i], 1e-12);
    }
  }
}

TEST(Linear, PartsOfOneMatrixReadAConcatenatedInput) {
  ParamStore store;
  const Linear whole = Linear::create(store, "layer", 5, 4, kNormal);
  const Linear left{whole.w.row_range(0, 2), whole.b};
  const Linear right{whole.w.row_range(2, 3), {}};
  initialize_with_biases(store, 1);
  Numbers x(6, 5, 2);
  const Numbers dy(6, 4, 3);
  Numbers y(6, 4, 4), parts(6, 4, 5);
  whole.forward(store.values(), x, y.mat());
  left.forward(store.values(), x.view().col_range(0, 2), parts.mat());
  right.forward_add(store.values(), x.view().col_range(2, 3), parts.mat());
  for (Index i = 0; i < 24; ++i) EXPECT_NEAR(y.data[i], parts.data[i], 1e-12);

  NoisyGradient of_whole(store.size()), of_parts(store.size());
  Numbers dx(6, 5, 6), dx_parts(6, 5, 7);
  whole.backward(store.values(), x, dy, dx.mat(), of_whole.grads());
  left.backward(store.values(), x.view().col_range(0, 2), dy, dx_parts.mat().col_range(0, 2), of_parts.grads());
  right.backward(store.values(), x.view().col_range(2, 3), dy, dx_parts.mat().col_range(2, 3), of_parts.grads());
  for (Index i = 0; i < 30; ++i) EXPECT_NEAR(dx.data[i], dx_parts.data[i], 1e-12);
  for (std::size_t i = 0; i < store.size(); ++i) {
    EXPECT_NEAR(of_whole.added()[i], of_parts.added()[i], 1e-12) << i;
  }
}

#endif

constexpr Index kVocabulary = 6, kSize = 3;

Embedding embedding(ParamStore& store) {
  const Embedding layer{store.add("embedding", kVocabulary, kSize, kNormal), Real(1.75)};
  store.initialize(1);
  return layer;
}

TEST(Embedding, GivesScaledRowsOfTheTable) {
  ParamStore store;
  const Embedding layer = embedding(store);
  const std::vector<TokenId> ids = {4, 0, 4, 5};
  Numbers y(4, kSize, 2, 2);
  layer.forward(store.values(), ids, y.mat());
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < kSize; ++j) EXPECT_EQ(y.mat()(i, j), Real(1.75) * layer.table.in(store.values())(ids[i], j));
  }
  for (const TokenId outside : {TokenId(-1), TokenId(kVocabulary)}) {
    EXPECT_THROW(layer.forward(store.values(), std::vector<TokenId>{0, 0, outside, 0}, y.mat()), std::logic_error);
  }
}

#ifdef DRAGOMAN_DOUBLE
TEST(Embedding, GradientsOfRepeatedTokensAddUp) {
  ParamStore store;
  const Embedding layer = embedding(store);
  const std::vector<TokenId> ids = {4, 0, 4, 5, 4};
  const Numbers dy(5, kSize, 3);
  NoisyGradient gradient(store.size());
  layer.backward(ids, dy, gradient.grads());
  check_gradient("table", store.data(), gradient.added().data(), static_cast<Index>(store.size()), [&] {
    Numbers y(5, kSize, 2);
    layer.forward(store.values(), ids, y.mat());
    return inner_product(y, dy);
  });
}
#endif

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
