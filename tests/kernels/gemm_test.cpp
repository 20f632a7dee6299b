// Matrix products against their definition, and the promise that a row's bits depend on nothing but that row.
#include "kernels/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "kernels/gemm_blocks.h"
#include "kernels/reference/gemm_reference.h"
#include "kernels/rows.h"
#include "support/products.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

/// Calls check(m, n, k) for sizes around the tiles of the kernel and around its blocks.
constexpr Index kRowsAcross = 205, kColsAcross = 530, kSumsAcross = 1030;

template <class Check>
void for_sizes(Check check) {
  check(kRowsAcross, kColsAcross, kSumsAcross);
  check(530, 270, 97);
  for (const Index m : {1, 2, 5, 6, 7, 13, 24, 25, 31, 64}) {
    for (const Index n : {1, 7, 8, 15, 16, 17, 33, 100}) {
      for (const Index k : {1, 3, 16, 33, 130}) {
        check(m, n, k);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

std::string sizes(Index m, Index n, Index k) {
  return std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
}

TEST(Gemm, TheseTestsCrossEveryBlockTwice) {
  EXPECT_GT(kRowsAcross, 2 * kRowBlock);
  EXPECT_GT(kColsAcross, 2 * kColBlock);
  EXPECT_GT(kSumsAcross, 2 * kDepth);
  EXPECT_GT(kSumsAcross, 2 * kSums);
}

TEST(Gemm, MatchesTheDefinitionForOddSizesAndStrides) {
  for_sizes([](Index m, Index n, Index k) {
    const Numbers a(m, k, 1, 3);
    const Numbers b(k, n, 2, 5);
    for (const bool accumulate : {false, true}) {
      Numbers c(m, n, 3, 2);
      Numbers expected = c;
      Numbers magnitude = magnitudes(c);
      gemm(a, b, c.mat(), accumulate);
      reference::gemm(a, b, expected.mat(), accumulate);
      reference::gemm(magnitudes(a), magnitudes(b), magnitude.mat(), accumulate);
      expect_close(c, expected, magnitude, k, sizes(m, n, k) + (accumulate ? " accumulated" : ""));
    }
  });
}

TEST(Gemm, WithTransposedRightSideMatchesTheDefinition) {
  for_sizes([](Index m, Index n, Index k) {
    const Numbers a(m, k, 1, 3);
    const Numbers b(n, k, 2, 5);
    for (const bool accumulate : {false, true}) {
      Numbers c(m, n, 3, 2);
      Numbers expected = c;
      Numbers magnitude = magnitudes(c);
      gemm_nt(a, b, c.mat(), accumulate);
      reference::gemm_nt(a, b, expected.mat(), accumulate);
      reference::gemm_nt(magnitudes(a), magnitudes(b), magnitude.mat(), accumulate);
      expect_close(c, expected, magnitude, k, sizes(m, n, k) + (accumulate ? " accumulated" : ""));
    }
  });
}

TEST(Gemm, WithTransposedLeftSideAddsToWhatIsThere) {
  for_sizes([](Index m, Index n, Index k) {
    const Numbers a(k, m, 1, 3);
    const Numbers b(k, n, 2, 5);
    Numbers c(m, n, 3, 2);
    Numbers expected = c;
    Numbers magnitude = magnitudes(c);
    gemm_tn(a, b, c.mat());
    reference::gemm_tn(a, b, expected.mat());
    reference::gemm_tn(magnitudes(a), magnitudes(b), magnitude.mat());
    expect_close(c, expected, magnitude, k, sizes(m, n, k));
  });
}

TEST(Gemm, WithNothingToSumGivesZeroOrLeavesTheSum) {
  Numbers c(3, 20, 1);
  const Numbers before = c;
  const std::vector<Real> memory(20);
  const ConstMat a(memory.data(), 3, 0, 0);
  const ConstMat b(memory.data(), 0, 20, 20);
  gemm(a, b, c.mat(), true);
  EXPECT_TRUE(same_bits(c, before));
  gemm(a, b, c.mat());
  for (const Real x : c.data) EXPECT_EQ(x, 0);
}

TEST(Gemm, WithPackedRightSideHasTheSameBits) {
  for_sizes([](Index m, Index n, Index k) {
    const Numbers a(m, k, 1, 3);
    const Numbers b(k, n, 2, 5);
    const Numbers b_transposed(n, k, 2, 5);
    const std::vector<Real> bias = random_numbers(n, 4);
    std::vector<Real> memory(static_cast<std::size_t>(packed_size(k, n)), Real(NAN));
    const PackedMat packed = pack(b, memory.data());
    for (const bool accumulate : {false, true}) {
      Numbers c(m, n, 3, 2);
      Numbers expected = c;
      gemm(a, packed, c.mat(), accumulate);
      gemm(a, b.view(), expected.mat(), accumulate);
      ASSERT_TRUE(same_bits(c, expected)) << sizes(m, n, k);
    }
    Numbers c(m, n, 3, 2);
    Numbers expected(m, n, 3, 2);
    gemm_bias(a, packed, {bias.data(), 1, n, n}, c.mat());
    fill_rows({bias.data(), 1, n, n}, expected.mat());
    gemm(a, b.view(), expected.mat(), true);
    ASSERT_TRUE(same_bits(c, expected)) << sizes(m, n, k) << " with bias";
    gemm_bias(a, b.view(), {bias.data(), 1, n, n}, c.mat());
    ASSERT_TRUE(same_bits(c, expected)) << sizes(m, n, k) << " with bias, not packed";

    gemm(a, pack_transposed(b_transposed, memory.data()), c.mat());
    gemm_nt(a, b_transposed, expected.mat());
    ASSERT_TRUE(same_bits(c, expected)) << sizes(m, n, k) << " transposed";
  });
}

using Product = void (*)(ConstMat, ConstMat, Mat, bool);

/// The first and the last `rows` rows of a product alone have the bits that they have among 300.
void expect_exact_rows(Product product, bool transposed, Index width, Index k) {
  constexpr Index kMany = 300;
  const Numbers a(kMany, k, 1);
  const Numbers b(transposed ? width : k, transposed ? k : width, 2);
  const Numbers start(kMany, width, 3);
  for (const bool accumulate : {false, true}) {
    Numbers all = start;
    product(a, b, all.mat(), accumulate);
    for (Index rows = 1; rows <= 64; ++rows) {
      for (const Index first : {Index(0), kMany - rows}) {
        Numbers few(rows, width, 4);
        std::copy_n(start.view().row(first), rows * width, few.data.data());
        product(a.view().row_range(first, rows), b, few.mat(), accumulate);
        ASSERT_TRUE(same_bits(few, all.view().row_range(first, rows)))
            << rows << " rows from " << first << ", width " << width << ", k " << k << ", accumulate " << accumulate;
      }
    }
  }
}

TEST(Gemm, RowsDontDependOnTheNumberOfRowsNorOnTheirPlace) {
  for (const Index width : {1, 7, 40, 256, 1000}) {
    for (const Index k : {1, 2, 5, 16, 33, 64, 127, 300}) {
      if (width == 1000 && k != 5 && k != 127) continue;
      expect_exact_rows(gemm, false, width, k);
      expect_exact_rows(gemm_nt, true, width, k);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
