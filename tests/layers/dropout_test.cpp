// Dropout: row keys, places, and backward as the same function.
#include "layers/dropout.h"

#include <gtest/gtest.h>

#include <set>

#include "core/rng.h"
#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

const std::vector<Index> kOffset = {0, 5, 7, 11};

TEST(Noise, KeysAreAFunctionOfPassSentenceAndPosition) {
  Workspace workspace;
  const std::vector<std::uint64_t> ids = {7, 3, 9};
  const std::span<const std::uint64_t> keys = Noise{1, ids}.row_keys(kOffset, workspace);
  ASSERT_EQ(keys.size(), 11U);
  EXPECT_EQ(std::set<std::uint64_t>(keys.begin(), keys.end()).size(), 11U) << "all different";
  // Sentence 9 alone, as another shard would see it.
  const std::vector<std::uint64_t> alone = {9};
  const std::vector<Index> offset = {0, 4};
  const std::span<const std::uint64_t> same = Noise{1, alone}.row_keys(offset, workspace);
  for (Index i = 0; i < 4; ++i) EXPECT_EQ(same[i], keys[7 + i]) << i;
  const std::span<const std::uint64_t> other_pass = Noise{2, alone}.row_keys(offset, workspace);
  for (Index i = 0; i < 4; ++i) EXPECT_NE(other_pass[i], keys[7 + i]) << i;
  EXPECT_TRUE(Noise{}.row_keys(kOffset, workspace).empty());
}

TEST(Dropout, WithoutNoiseOrRateNothingHappens) {
  const Numbers before(11, 6, 1);
  Numbers x = before;
  Dropout{Real(0.5), 1}.apply(x.mat(), {});
  EXPECT_TRUE(same_bits(x, before));
  const std::vector<std::uint64_t> keys(11, 1);
  Dropout{0, 1}.apply(x.mat(), keys);
  EXPECT_TRUE(same_bits(x, before));
}

TEST(Dropout, BackwardDrawsTheSameMaskAndOtherPlacesAnother) {
  constexpr Index kRows = 40, kCols = 50;
  std::vector<std::uint64_t> keys;
  for (Index i = 0; i < kRows; ++i) keys.push_back(mix64(i));
  const auto ones = [&](const Dropout& dropout) {
    Numbers x(kRows, kCols, 1);
    std::fill(x.data.begin(), x.data.end(), Real(1));
    dropout.apply(x.mat(), keys);
    return x;
  };
  const Dropout here{Real(0.25), hash_name("encoder.embedding")};
  const Dropout there{Real(0.25), hash_name("decoder.embedding")};
  const Numbers mask = ones(here);
  EXPECT_TRUE(same_bits(mask, ones(here)));
  EXPECT_FALSE(same_bits(mask, ones(there)));
  const Numbers dy(kRows, kCols, 2);
  Numbers dx = dy;
  here.apply(dx.mat(), keys);
  for (Index i = 0; i < kRows * kCols; ++i) {
    EXPECT_TRUE(mask.data[i] == 0 || mask.data[i] == 1 / Real(0.75));
    EXPECT_EQ(dx.data[i], dy.data[i] * mask.data[i]);
  }
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
