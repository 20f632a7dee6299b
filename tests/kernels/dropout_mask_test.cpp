// The masks of dropout: a pure function of key and column, with the right rate, and unrelated between keys.
#include "kernels/dropout_mask.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/rng.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

std::uint32_t threshold_of(double p) { return static_cast<std::uint32_t>(p * 0x1.0p32); }

/// Which of n columns are kept.
std::vector<bool> mask(Index n, std::uint64_t key, double p) {
  std::vector<Real> row(n, 1);
  mask_row(row.data(), n, key, threshold_of(p), 1);
  std::vector<bool> kept;
  for (const Real x : row) kept.push_back(x != 0);
  return kept;
}

/// |count - n rate| in standard deviations of a binomial.
double deviations(double count, double n, double rate) {
  return std::fabs(count - n * rate) / std::sqrt(n * rate * (1 - rate));
}

TEST(DropoutMask, KeepsAndScalesOrZeroes) {
  std::vector<Real> row;
  for (int i = 1; i <= 1000; ++i) row.push_back(static_cast<Real>(i));
  mask_row(row.data(), 1000, mix64(1), threshold_of(0.2), Real(1.25));
  int zeros = 0;
  for (int i = 1; i <= 1000; ++i) {
    if (row[i - 1] == 0) {
      ++zeros;
    } else {
      ASSERT_EQ(row[i - 1], Real(1.25) * static_cast<Real>(i));
    }
  }
  EXPECT_GT(zeros, 0);
  EXPECT_LT(zeros, 1000);
}

TEST(DropoutMask, DropsTheAskedShareInRowsAndInColumns) {
  constexpr int kRows = 2000, kCols = 64;
  for (const double p : {0.05, 0.1, 0.3, 0.5, 0.9}) {
    std::vector<int> dropped_in_column(kCols);
    int dropped = 0;
    for (int row = 0; row < kRows; ++row) {
      const std::vector<bool> kept = mask(kCols, mix64(row), p);
      for (int j = 0; j < kCols; ++j) {
        dropped_in_column[j] += kept[j] ? 0 : 1;
        dropped += kept[j] ? 0 : 1;
      }
    }
    EXPECT_LT(deviations(dropped, kRows * kCols, p), 4) << p;
    for (int j = 0; j < kCols; ++j) EXPECT_LT(deviations(dropped_in_column[j], kRows, p), 5) << p << " column " << j;
  }
  EXPECT_EQ(mask(500, mix64(3), 0), std::vector<bool>(500, true));
}

TEST(DropoutMask, IsAFunctionOfKeyAndColumnAlone) {
  const std::vector<bool> wide = mask(333, mix64(7), 0.4);
  EXPECT_EQ(mask(333, mix64(7), 0.4), wide);
  for (const Index n : {1, 8, 17, 100}) {  // however wide the row is, and wherever it starts
    EXPECT_EQ(mask(n, mix64(7), 0.4), std::vector<bool>(wide.begin(), wide.begin() + n)) << n;
  }
  EXPECT_NE(mask(333, mix64(8), 0.4), wide);
}

TEST(DropoutMask, HigherRatesDropMoreOfTheSameColumns) {
  const std::vector<bool> few = mask(1000, mix64(9), 0.2);
  const std::vector<bool> many = mask(1000, mix64(9), 0.6);
  for (int j = 0; j < 1000; ++j) EXPECT_TRUE(few[j] || !many[j]) << j;
}

TEST(DropoutMask, MasksOfDifferentKeysAndNeighbouringColumnsAreUnrelated) {
  constexpr int kRows = 1000, kCols = 100;
  constexpr double kRate = 0.3;
  constexpr double kAgree = kRate * kRate + (1 - kRate) * (1 - kRate);
  // Keys as rows and places have them (mixed), and one whose sequence is shifted by a step.
  const auto other_key = [](int kind, int row) -> std::uint64_t {
    switch (kind) {
      case 0:
        return mix64(row) + 1;
      case 1:
        return mix64(row + kRows);
      case 2:
        return mix64(row ^ hash_name("another place"));
      default:
        return mix64(row ^ 0x8000000000000000U) + 0x9e3779b9U;
    }
  };
  int beside = 0;
  for (int kind = 0; kind < 4; ++kind) {
    int agree = 0;
    for (int row = 0; row < kRows; ++row) {
      const std::vector<bool> a = mask(kCols, mix64(row), kRate);
      const std::vector<bool> b = mask(kCols, other_key(kind, row), kRate);
      for (int j = 0; j < kCols; ++j) agree += a[j] == b[j] ? 1 : 0;
      if (kind != 0) continue;
      for (int j = 0; j + 1 < kCols; ++j) beside += a[j] == a[j + 1] ? 1 : 0;
    }
    EXPECT_LT(deviations(agree, kRows * kCols, kAgree), 5) << "kind " << kind;
  }
  EXPECT_LT(deviations(beside, kRows * (kCols - 1), kAgree), 5) << "neighbouring columns";
}

TEST(DropoutMask, OfColumnsIsThatOfRows) {
  constexpr Index kRows = 13, kColumns = 21;  // a row of the mask is a column here
  std::vector<std::uint32_t> low, high;
  std::vector<Real> rows(kRows * kColumns, Real(1)), columns = rows;
  for (Index i = 0; i < kColumns; ++i) {
    const std::uint64_t key = 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(i + 1);
    low.push_back(static_cast<std::uint32_t>(key));
    high.push_back(static_cast<std::uint32_t>(key >> 32));
    mask_row(rows.data() + i * kRows, kRows, key, 0x80000000U, 2);
  }
  for (Index j = 0; j < kRows; ++j) {
    mask_column(columns.data() + j * kColumns, kColumns, j, low.data(), high.data(), 0x80000000U, 2);
    for (Index i = 0; i < kColumns; ++i) EXPECT_EQ(columns[j * kColumns + i], rows[i * kRows + j]) << i << ", " << j;
  }
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
