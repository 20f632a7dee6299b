// Products with packed weights have the bits of those without, for whole matrices and for ranges of their rows.
#include "layers/product.h"

#include <gtest/gtest.h>

#include "kernels/packed_weights.h"
#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr Index kRows = 9;

void expect_same_products(Values plain, Values packed, const ParamRef& w) {
  for (const bool accumulate : {false, true}) {
    const Numbers x(kRows, w.rows, 1);
    Numbers y(kRows, w.cols, 2);
    Numbers expected = y;
    multiply(packed, x, w, y.mat(), accumulate);
    multiply(plain, x, w, expected.mat(), accumulate);
    EXPECT_TRUE(same_bits(y, expected));
    const Numbers dy(kRows, w.cols, 3);
    Numbers dx(kRows, w.rows, 4);
    Numbers dx_expected = dx;
    multiply_transposed(packed, dy, w, dx.mat(), accumulate);
    multiply_transposed(plain, dy, w, dx_expected.mat(), accumulate);
    EXPECT_TRUE(same_bits(dx, dx_expected));
  }
}

class PackedWeightsOf : public ::testing::TestWithParam<Precision> {};
INSTANTIATE_TEST_SUITE_P(Precisions, PackedWeightsOf, ::testing::Values(Precision::float32, Precision::bfloat16),
                         [](const auto& info) { return info.param == Precision::float32 ? "float32" : "bfloat16"; });

TEST_P(PackedWeightsOf, GiveTheSameBitsForMatricesAndRangesOfTheirRows) {
  ParamStore store;
  const Init init{Init::Kind::normal, 1};
  const ParamRef table = store.add("table", 50, 20, init, ParamUse::other);
  const ParamRef w = store.add("w", 130, 70, init);
  const ParamRef bias = store.add_bias("b", 70, init);
  const ParamRef tied = store.add("tied", 90, 33, init, ParamUse::tied_output);
  const ParamRef tied_bias = store.add_bias("tied.b", 90, init);
  store.initialize(1);
  PackedWeights weights(store, true, GetParam());
  weights.repack(store.values());
  const Values plain{store.values().base, nullptr, GetParam()};
  const Values packed = weights.with(store.values());
  const bool pairs = GetParam() == Precision::bfloat16;
  const auto has_forward = [&](const ParamRef& ref) {
    return pairs ? !weights.forward<Pair>(ref).empty() : !weights.forward<Real>(ref).empty();
  };

  EXPECT_FALSE(has_forward(table));
  EXPECT_FALSE(has_forward(bias));
  for (const ParamRef& ref :
       {w, tied, w.row_range(0, 40), w.row_range(64, 66), w.row_range(0, 41), w.row_range(7, 90)}) {
    EXPECT_EQ(has_forward(ref), !pairs || ref.offset != w.row_range(7, 90).offset) << "a pair is two rows";
    expect_same_products(plain, packed, ref);
  }
  EXPECT_FALSE(pairs ? weights.transposed<Pair>(w.row_range(64, 66)).empty()
                     : weights.transposed<Real>(w.row_range(64, 66)).empty());

  const Numbers x(kRows, 130, 5);
  Numbers y(kRows, 70, 6), expected(kRows, 70, 7);
  multiply(packed, x, w, bias, y.mat());
  multiply(plain, x, w, bias, expected.mat());
  EXPECT_TRUE(same_bits(y, expected));
  const Numbers r(kRows, 33, 8);
  Numbers logits(kRows, 90, 9), logits_expected(kRows, 90, 10);
  multiply_transposed(packed, r, tied, tied_bias, logits.mat());
  multiply_transposed(plain, r, tied, tied_bias, logits_expected.mat());
  EXPECT_TRUE(same_bits(logits, logits_expected));
}

TEST(PackedWeights, FollowTheValuesOnlyWhenRepacked) {
  ParamStore store;
  const ParamRef w = store.add("w", 3, 40, {Init::Kind::normal, 1});
  store.initialize(1);
  PackedWeights weights(store, true);
  weights.repack(store.values());
  store.data()[w.offset + 5] = 7;
  EXPECT_NE(weights.forward(w).data[5], 7);
  weights.repack(store.values());
  EXPECT_EQ(weights.forward(w).data[5], 7);
}

TEST(PackedWeights, OfBfloat16TakeHalfTheMemory) {
  ParamStore store;
  store.add("w", 32, 64, {Init::Kind::normal, 1});
  EXPECT_EQ(PackedWeights(store, true, Precision::bfloat16).bytes() * sizeof(Real),
            PackedWeights(store, true).bytes() * sizeof(Pair) / 2);
}

TEST(PackedWeights, WithoutBackwardHoldOneDirection) {
  ParamStore store;
  const ParamRef w = store.add("w", 32, 64, {Init::Kind::normal, 1});
  const ParamRef tied = store.add("tied", 64, 32, {Init::Kind::normal, 1}, ParamUse::tied_output);
  store.initialize(1);
  PackedWeights one(store, false);
  EXPECT_EQ(one.bytes() * 2, PackedWeights(store, true).bytes());
  one.repack(store.values());
  EXPECT_FALSE(one.forward(w).empty());
  EXPECT_TRUE(one.transposed(w).empty());
  EXPECT_TRUE(one.forward(tied).empty());
  EXPECT_FALSE(one.transposed(tied).empty());
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
