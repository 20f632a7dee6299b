// Positions of each kind: the formula of sinusoids, look-ups and gradients of the learned table.
#include "layers/positional.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "support/gradient_check.h"
#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

const Init kNormal{Init::Kind::normal, 0.5};
const std::vector<Index> kOffset = {0, 5, 7, 11};  // lengths 5, 2, 4
constexpr Index kRows = 11;

#ifdef DRAGOMAN_DOUBLE
constexpr double kBound = 1e-12;
#else
constexpr double kBound = 1e-6;
#endif

double sinusoid_by_definition(Index position, Index column, Index size) {
  const Index i = column / 2;
  const double angle =
      static_cast<double>(position) / std::pow(10000.0, 2.0 * static_cast<double>(i) / static_cast<double>(size));
  return column % 2 == 0 ? std::sin(angle) : std::cos(angle);
}

/// p of positions first .. first + rows - 1.
Numbers positions_alone(const Positions& positions, Values values, Index rows, Index first, Index size) {
  Numbers p(rows, size, 1);
  std::fill(p.data.begin(), p.data.end(), Real(0));
  positions.add(values, std::vector<Index>{0, rows}, first, p.mat());
  return p;
}

TEST(Positions, SinusoidsMatchTheFormula) {
  for (const Index size : {1, 2, 6, 7, 16}) {
    ParamStore store;
    const Positions positions(store, "positions", "sinusoidal", size, 4, kNormal);
    EXPECT_TRUE(store.params().empty()) << "nothing to learn";
    for (const Index first : {0, 1, 100, 508, 512, 513, 5000}) {  // from 512 on they are computed when asked for
      const Numbers p = positions_alone(positions, store.values(), 7, first, size);
      for (Index i = 0; i < 7; ++i) {
        for (Index j = 0; j < size; ++j) {
          ASSERT_NEAR(p.view()(i, j), sinusoid_by_definition(first + i, j, size), kBound)
              << "size " << size << ", position " << first + i << ", column " << j;
        }
      }
    }
  }
}

TEST(Positions, AreAddedAndStartAgainWithEachSentence) {
  constexpr Index kSize = 6;
  ParamStore store;
  for (const char* kind : {"sinusoidal", "learned"}) {
    const Positions positions(store, kind, kind, kSize, 20, kNormal);
    store.initialize(1);
    const Numbers p = positions_alone(positions, store.values(), 9, 0, kSize);
    for (const Index first : {0, 3}) {
      const Numbers before(kRows, kSize, 2, 2);
      Numbers x = before;
      positions.add(store.values(), kOffset, first, x.mat());
      for (std::size_t i = 0; i + 1 < kOffset.size(); ++i) {
        for (Index row = kOffset[i]; row < kOffset[i + 1]; ++row) {
          for (Index j = 0; j < kSize; ++j) {
            const Index t = first + row - kOffset[i];
            ASSERT_EQ(x.view()(row, j), before.view()(row, j) + p.view()(t, j)) << kind << ", " << row << ", " << j;
          }
          for (Index j = kSize; j < x.ld; ++j) EXPECT_EQ(x.data[row * x.ld + j], before.data[row * x.ld + j]);
        }
      }
    }
  }
}

TEST(Positions, FirstShifts) {
  constexpr Index kSize = 5;
  ParamStore store;
  const Positions positions(store, "positions", "sinusoidal", kSize, 4, kNormal);
  const Numbers all = positions_alone(positions, store.values(), 600, 0, kSize);
  for (const Index first : {0, 1, 17, 509, 512, 590}) {
    EXPECT_TRUE(same_bits(positions_alone(positions, store.values(), 6, first, kSize), all.view().row_range(first, 6)))
        << first;
  }
}

TEST(Positions, LearnedOnesAreRowsOfATable) {
  constexpr Index kSize = 3, kMost = 8;
  ParamStore store;
  const Positions positions(store, "positions", "learned", kSize, kMost, kNormal);
  store.initialize(1);
  ASSERT_EQ(store.params().size(), 1U);
  EXPECT_EQ(store.params()[0].name, "positions");
  const ConstMat table = store.params()[0].ref.in(store.values());
  ASSERT_EQ(table.rows, kMost);
  EXPECT_TRUE(same_bits(positions_alone(positions, store.values(), kMost, 0, kSize), table));
  EXPECT_TRUE(same_bits(positions_alone(positions, store.values(), 3, 5, kSize), table.row_range(5, 3)));
  EXPECT_THROW(positions_alone(positions, store.values(), kMost + 1, 0, kSize), std::logic_error);
  EXPECT_THROW(positions_alone(positions, store.values(), 4, 5, kSize), std::logic_error);
  EXPECT_THROW(positions_alone(positions, store.values(), 1, kMost, kSize), std::logic_error);
}

TEST(Positions, NoneDoesNothing) {
  ParamStore store;
  const Positions positions(store, "positions", "none", 4, 2, kNormal);
  EXPECT_TRUE(store.params().empty());
  const Numbers before(kRows, 4, 1);
  Numbers x = before;
  positions.add(store.values(), kOffset, 3, x.mat());
  EXPECT_TRUE(same_bits(x, before));
}

TEST(Positions, OnlyLearnedOnesHaveGradients) {
  const Numbers dx(kRows, 4, 1);
  for (const char* kind : {"sinusoidal", "none"}) {
    ParamStore store;
    const Positions positions(store, "positions", kind, 4, 20, kNormal);
    NoisyGradient gradient(100);
    positions.backward(kOffset, dx, gradient.grads());
    for (const Real d : gradient.added()) EXPECT_EQ(d, 0) << kind;
  }
}

#ifdef DRAGOMAN_DOUBLE
TEST(Positions, GradientsOfSentencesAddUp) {
  constexpr Index kSize = 3;
  ParamStore store;
  const Positions positions(store, "positions", "learned", kSize, 6, kNormal);  // the last position stays unused
  store.initialize(1);
  const Numbers dx(kRows, kSize, 2, 1);
  NoisyGradient gradient(store.size());
  positions.backward(kOffset, dx, gradient.grads());
  check_gradient("table", store.data(), gradient.added().data(), static_cast<Index>(store.size()), [&] {
    Numbers x(kRows, kSize, 3);
    positions.add(store.values(), kOffset, 0, x.mat());
    return inner_product(x, dx);
  });
}
#endif

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
