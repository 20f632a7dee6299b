// Products of numbers rounded to bfloat16: their definition, and the promise that a row depends on that row alone.
#include "kernels/gemm_bf16.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/gemm_blocks.h"
#include "kernels/reference/gemm_reference.h"
#include "kernels/rows.h"
#include "support/products.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

Numbers rounded(Numbers m) {
  for (Real& x : m.data) x = static_cast<Real>(round_to_bfloat16(static_cast<float>(x)));
  return m;
}

struct Packing {
  std::vector<Pair> memory;
  Packing(Index k, Index n) : memory(static_cast<std::size_t>(packed_pairs_size(k, n)), 0x7FC07FC0U) {}
  PackedPairs pack(ConstMat b) { return pack_pairs(b, memory.data()); }
  PackedPairs pack_transposed(ConstMat b) { return pack_pairs_transposed(b, memory.data()); }
};

/// Calls check(m, n, k) for sizes around tiles, pairs and blocks.
template <class Check>
void for_sizes(Check check) {
  for (const auto& [m, n, k] : {std::array<Index, 3>{205, 530, 1031}, {530, 270, 97}, {3, 20, 515}}) {
    SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k));
    check(m, n, k);
  }
  for (const Index m : {1, 2, 5, 6, 7, 13, 25, 64}) {
    for (const Index n : {1, 7, 16, 17, 33, 100}) {
      for (const Index k : {1, 2, 3, 16, 17, 33, 130}) {
        SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k));
        check(m, n, k);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(Bfloat16, RoundsToNearestWithTiesToEven) {
  const auto bits = [](std::uint32_t b) { return std::bit_cast<float>(b); };
  EXPECT_EQ(round_to_bfloat16(1.0F), 1.0F);
  EXPECT_EQ(round_to_bfloat16(bits(0x3F807FFF)), 1.0F) << "below the middle";
  EXPECT_EQ(round_to_bfloat16(bits(0x3F808000)), 1.0F) << "the middle, down to even";
  EXPECT_EQ(round_to_bfloat16(bits(0x3F808001)), bits(0x3F810000));
  EXPECT_EQ(round_to_bfloat16(bits(0x3F818000)), bits(0x3F820000)) << "the middle, up to even";
  EXPECT_EQ(round_to_bfloat16(bits(0xBF818000)), bits(0xBF820000));
  EXPECT_EQ(round_to_bfloat16(bits(0x7F7FFFFF)), std::numeric_limits<float>::infinity());
  EXPECT_EQ(round_to_bfloat16(-std::numeric_limits<float>::infinity()), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(round_to_bfloat16(bits(0x7FFFFFFF))));
  EXPECT_TRUE(std::isnan(round_to_bfloat16(bits(0xFF800001))));
  EXPECT_EQ(std::bit_cast<std::uint32_t>(round_to_bfloat16(-0.0F)), 0x80000000U);
}

TEST(GemmBf16, TheseTestsCrossEveryBlockTwice) {
  EXPECT_GT(205, 2 * kRowBlock);
  EXPECT_GT(530, 2 * kColBlock);
  EXPECT_GT(1031, 2 * 2 * kDepth) << "pairs";
  EXPECT_GT(1031, 2 * kSums);
}

TEST(GemmBf16, MatchesTheDefinitionWithRoundedFactors) {
  for_sizes([](Index m, Index n, Index k) {
    const Numbers a(m, k, 1, 3);
    const Numbers b(k, n, 2, 5);
    Packing packing(k, n);
    for (const bool accumulate : {false, true}) {
      Numbers c(m, n, 3, 2);
      Numbers expected = c;
      Numbers magnitude = magnitudes(c);
      gemm_bf16(a, packing.pack(b), c.mat(), accumulate);
      reference::gemm(rounded(a), rounded(b), expected.mat(), accumulate);
      reference::gemm(magnitudes(rounded(a)), magnitudes(rounded(b)), magnitude.mat(), accumulate);
      expect_close(c, expected, magnitude, k, "bfloat16");
    }
  });
}

TEST(GemmBf16, TransposedAndWithBiasHasTheSameBits) {
  for_sizes([](Index m, Index n, Index k) {
    const Numbers a(m, k, 1, 3);
    const Numbers b(n, k, 2, 5);
    Numbers b_transposed(k, n, 0);
    for (Index i = 0; i < k; ++i) {
      for (Index j = 0; j < n; ++j) b_transposed.mat()(i, j) = b.view()(j, i);
    }
    const std::vector<Real> bias = random_numbers(n, 4);
    Packing packing(k, n), transposed(k, n);
    Numbers c(m, n, 3, 2), expected(m, n, 3, 2);
    gemm_bias_bf16(a, transposed.pack_transposed(b), {bias.data(), 1, n, n}, c.mat());
    fill_rows({bias.data(), 1, n, n}, expected.mat());
    gemm_bf16(a, packing.pack(b_transposed), expected.mat(), true);
    ASSERT_EQ(transposed.memory, packing.memory);
    ASSERT_TRUE(same_bits(c, expected));
  });
}

TEST(GemmBf16, WithTransposedLeftSideAddsToWhatIsThere) {
  for_sizes([](Index m, Index n, Index k) {
    const Numbers a(k, m, 1, 3);
    const Numbers b(k, n, 2, 5);
    Numbers c(m, n, 3, 2);
    Numbers expected = c;
    Numbers magnitude = magnitudes(c);
    gemm_tn_bf16(a, b, c.mat());
    reference::gemm_tn(rounded(a), rounded(b), expected.mat());
    reference::gemm_tn(magnitudes(rounded(a)), magnitudes(rounded(b)), magnitude.mat());
    expect_close(c, expected, magnitude, k, "bfloat16");
  });
}

/// Of a pair first the odd k is added, then the even one: to the bit, whether the CPU's instruction or float32 does it
/// (products of two bfloat16 numbers are exact).
TEST(GemmBf16, SumsHaveTheBitsOfTheirDefinition) {
  constexpr Index kRows = 13, kCols = 40, kPairs = 41;
  const Numbers a = rounded(Numbers(kRows, 2 * kPairs, 1)), b = rounded(Numbers(2 * kPairs, kCols, 2));
  Packing packing(2 * kPairs, kCols);
  Numbers c(kRows, kCols, 3);
  Numbers expected = c;
  for (Index i = 0; i < kRows; ++i) {
    for (Index j = 0; j < kCols; ++j) {
      Real& sum = expected.mat()(i, j);
      for (Index k = 0; k < 2 * kPairs; k += 2) {
        sum = std::fma(a.view()(i, k + 1), b.view()(k + 1, j), sum);
        sum = std::fma(a.view()(i, k), b.view()(k, j), sum);
      }
    }
  }
  gemm_bf16(a, packing.pack(b), c.mat(), true);
  EXPECT_TRUE(same_bits(c, expected));
}

TEST(GemmBf16, RowsDontDependOnTheNumberOfRowsNorOnTheirPlace) {
  constexpr Index kMany = 200;
  for (const Index k : {1, 16, 33, 520}) {
    const Numbers a(kMany, k, 1);
    const Numbers b(k, 40, 2);
    Packing packing(k, 40);
    const PackedPairs packed = packing.pack(b);
    Numbers all(kMany, 40, 3);
    gemm_bf16(a, packed, all.mat());
    for (Index rows = 1; rows <= 30; ++rows) {
      for (const Index first : {Index(0), kMany - rows}) {
        Numbers few(rows, 40, 4);
        gemm_bf16(a.view().row_range(first, rows), packed, few.mat());
        ASSERT_TRUE(same_bits(few, all.view().row_range(first, rows))) << rows << " rows from " << first << ", k " << k;
      }
    }
  }
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
