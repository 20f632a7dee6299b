// Row helpers on strided matrices, against plain loops; numbers between the rows stay as they are.
#include "kernels/rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr double kBound = 1e-6;

/// m(i, j) is expected(i, j), and the gaps are those of `before`.
void expect_matrix(const Numbers& m, const Numbers& before, const std::function<Real(Index, Index)>& expected) {
  for (Index i = 0; i < m.rows; ++i) {
    for (Index j = 0; j < m.ld; ++j) {
      const Real found = m.data[i * m.ld + j];
      if (j < m.cols) {
        ASSERT_NEAR(found, expected(i, j), kBound) << i << ", " << j;
      } else {
        ASSERT_EQ(found, before.data[i * m.ld + j]) << "gap behind row " << i;
      }
    }
  }
}

constexpr Index kRows = 5, kCols = 19;

TEST(Rows, FillCopyAndAdd) {
  const Numbers from(kRows, kCols, 1, 2);
  const Numbers before(kRows, kCols, 2, 3);
  Numbers to = before;
  fill(to.mat(), Real(1.5));
  expect_matrix(to, before, [](Index, Index) { return Real(1.5); });
  to = before;
  copy(from, to.mat());
  expect_matrix(to, before, [&](Index i, Index j) { return from.view()(i, j); });
  to = before;
  add(from, to.mat());
  expect_matrix(to, before, [&](Index i, Index j) { return before.view()(i, j) + from.view()(i, j); });
}

TEST(Rows, BiasRowsAndTheirGradient) {
  const Numbers bias(1, kCols, 1);
  const Numbers before(kRows, kCols, 2, 3);
  Numbers m = before;
  fill_rows(bias, m.mat());
  expect_matrix(m, before, [&](Index, Index j) { return bias.view()(0, j); });
  m = before;
  add_rows(bias, m.mat());
  expect_matrix(m, before, [&](Index i, Index j) { return before.view()(i, j) + bias.view()(0, j); });
  Numbers sums = bias;
  add_column_sums(before, sums.mat());
  expect_matrix(sums, bias, [&](Index, Index j) {
    double sum = static_cast<double>(bias.view()(0, j));
    for (Index i = 0; i < kRows; ++i) sum += static_cast<double>(before.view()(i, j));
    return static_cast<Real>(sum);
  });
}

TEST(Rows, GatherTakesRowsAndScatterPutsThemBack) {
  const Numbers table(7, kCols, 1, 2);
  const std::vector<Index> index = {6, 0, 3, 3, 1};
  const Numbers before(kRows, kCols, 2, 3);
  Numbers taken = before;
  gather(table, index, taken.mat());
  expect_matrix(taken, before, [&](Index i, Index j) { return table.view()(index[i], j); });

  const std::vector<Index> places = {6, 0, 3, 2, 1};
  Numbers to = table;
  scatter(before, places, to.mat());
  expect_matrix(to, table, [&](Index row, Index j) {
    for (Index i = 0; i < kRows; ++i) {
      if (places[i] == row) return before.view()(i, j);
    }
    return table.view()(row, j);
  });
}

TEST(Rows, ScatterAddAddsRowsThatMeet) {
  const Numbers from(kRows, kCols, 1, 2);
  const std::vector<Index> index = {6, 3, 3, 3, 1};
  const Numbers before(7, kCols, 2, 3);
  Numbers to = before;
  scatter_add(from, index, to.mat());
  expect_matrix(to, before, [&](Index row, Index j) {
    Real sum = before.view()(row, j);
    for (Index i = 0; i < kRows; ++i) {
      if (index[i] == row) sum += from.view()(i, j);
    }
    return sum;
  });
}

TEST(Rows, TanhAndItsGradient) {
  const Numbers before(kRows, kCols, 2, 3);
  Numbers y = before;
  tanh_rows(y.mat());
  expect_matrix(y, before, [&](Index i, Index j) { return std::tanh(before.view()(i, j)); });

  const Numbers dy(kRows, kCols, 3, 1);
  const Numbers dx_before(kRows, kCols, 4, 2);
  Numbers dx = dx_before;
  tanh_backward(y, dy, dx.mat());
  expect_matrix(dx, dx_before, [&](Index i, Index j) {
    const Real t = std::tanh(before.view()(i, j));
    return dy.view()(i, j) * (1 - t * t);
  });
  Numbers in_place = dy;
  tanh_backward(y, in_place, in_place.mat());
  EXPECT_TRUE(same_bits(in_place, dx));
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
