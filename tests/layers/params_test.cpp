// The parameter store: where matrices lie, and how they start.
#include "core/params.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <string>

#include "recurrent/recurrent_layer.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

/// One matrix of that kind, initialised.
class OneMatrix {
 public:
  OneMatrix(const std::string& name, Index rows, Index cols, Init init, std::uint64_t seed = 1)
      : ref_(store_.add(name, rows, cols, init)) {
    store_.initialize(seed);
  }
  [[nodiscard]] ConstMat view() const { return ref_.in(store_.values()); }
  [[nodiscard]] ConstMat block(Index i, Index blocks) const {
    const Index width = ref_.cols / blocks;
    return view().col_range(i * width, width);
  }

 private:
  ParamStore store_;
  ParamRef ref_;
};

double largest(ConstMat m) {
  double most = 0;
  for (Index i = 0; i < m.rows; ++i) {
    for (Index j = 0; j < m.cols; ++j) most = std::max(most, std::fabs(static_cast<double>(m(i, j))));
  }
  return most;
}

double deviation(ConstMat m) {
  double squares = 0;
  for (Index i = 0; i < m.rows; ++i) {
    for (Index j = 0; j < m.cols; ++j) squares += static_cast<double>(m(i, j)) * static_cast<double>(m(i, j));
  }
  return std::sqrt(squares / static_cast<double>(m.rows * m.cols));
}

double mean(ConstMat m) {
  double sum = 0;
  for (Index i = 0; i < m.rows; ++i) {
    for (Index j = 0; j < m.cols; ++j) sum += static_cast<double>(m(i, j));
  }
  return sum / static_cast<double>(m.rows * m.cols);
}

bool equal(ConstMat a, ConstMat b) {
  for (Index i = 0; i < a.rows; ++i) {
    for (Index j = 0; j < a.cols; ++j) {
      if (a(i, j) != b(i, j)) return false;
    }
  }
  return true;
}

TEST(ParamStore, MatricesDontOverlapAndTheGapsStayZero) {
  ParamStore store;
  const Init ones{Init::Kind::constant, 1};
  const ParamRef a = store.add("a", 3, 5, ones);
  const ParamRef b = store.add_bias("b", 7, ones);
  const ParamRef none = store.add("none", 0, 4, ones);
  const ParamRef c = store.add("c", 4, 4, ones);
  store.initialize(1);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(store.params().size(), 3U);
  EXPECT_EQ(store.count(), 15U + 7U + 16U);
  std::set<std::size_t> used;
  for (const ParamRef& ref : {a, b, c}) {
    EXPECT_EQ(ref.offset % 16, 0U);
    for (Index i = 0; i < ref.rows * ref.cols; ++i) EXPECT_TRUE(used.insert(ref.offset + i).second);
  }
  for (std::size_t i = 0; i < store.size(); ++i) EXPECT_EQ(store.data()[i], used.contains(i) ? 1 : 0) << i;
  EXPECT_TRUE(store.find("a")->decay);
  EXPECT_FALSE(store.find("b")->decay);
  EXPECT_EQ(store.find("none"), nullptr);
  EXPECT_THROW(store.add("a", 1, 1, ones), std::logic_error);
}

TEST(ParamStore, ARowRangeIsAPartOfTheMatrix) {
  ParamStore store;
  const ParamRef whole = store.add("w", 6, 4, {Init::Kind::normal, 1});
  store.initialize(1);
  const ParamRef part = whole.row_range(2, 3);
  EXPECT_TRUE(equal(part.in(store.values()), whole.in(store.values()).row_range(2, 3)));
}

TEST(Initialization, IsAFunctionOfSeedAndNameAlone) {
  for (const char* kind : {"xavier", "normal", "uniform", "orthogonal"}) {
    const Init init = init_by_name(kind, 0.3, 2);
    const OneMatrix one("w", 6, 12, init);
    ParamStore store;  // with others before it, and drawn twice
    store.add("other", 3, 3, init_by_name(kind, 0.3, 1));
    const ParamRef ref = store.add("w", 6, 12, init);
    store.initialize(5);
    EXPECT_FALSE(equal(one.view(), ref.in(store.values()))) << kind << ": another seed";
    store.initialize(1);
    EXPECT_TRUE(equal(one.view(), ref.in(store.values()))) << kind;
    EXPECT_FALSE(equal(one.view(), OneMatrix("v", 6, 12, init).view())) << kind << ": another name";
    EXPECT_FALSE(equal(one.block(0, 2), one.block(1, 2))) << kind << ": blocks are drawn apart";
  }
  EXPECT_THROW(init_by_name("unknown", 0, 1), std::logic_error);
}

TEST(Initialization, DrawsFusedGatesWithTheFansOfOneGate) {
  constexpr Index kRows = 50, kWidth = 150, kGates = 4;
  const OneMatrix m("w", kRows, kGates * kWidth, init_by_name("xavier", 0, kGates));
  const double bound = std::sqrt(6.0 / (kRows + kWidth));
  for (Index gate = 0; gate < kGates; ++gate) {
    EXPECT_LE(largest(m.block(gate, kGates)), bound) << gate;
    EXPECT_GT(largest(m.block(gate, kGates)), 0.99 * bound) << gate;
    EXPECT_NEAR(deviation(m.block(gate, kGates)), bound / std::sqrt(3.0), 0.02 * bound) << gate;
    EXPECT_NEAR(mean(m.block(gate, kGates)), 0, 0.02 * bound) << gate;
  }
}

TEST(Initialization, AGainScalesWhatTheShapeGives) {
  for (const char* kind : {"xavier", "orthogonal"}) {
    Init init = init_by_name(kind, 0, 1);
    const OneMatrix plain("w", 20, 30, init);
    init.gain = 0.25;
    const OneMatrix scaled("w", 20, 30, init);
    for (Index i = 0; i < 20; ++i) {
      for (Index j = 0; j < 30; ++j) EXPECT_NEAR(scaled.view()(i, j), 0.25 * plain.view()(i, j), 1e-7) << kind;
    }
  }
}

TEST(Initialization, NormalAndUniformHaveTheirScale) {
  const OneMatrix normal("w", 200, 100, {Init::Kind::normal, 0.3});
  EXPECT_NEAR(deviation(normal.view()), 0.3, 0.01);
  EXPECT_NEAR(mean(normal.view()), 0, 0.01);
  const OneMatrix uniform("w", 200, 100, {Init::Kind::uniform, 0.3});
  EXPECT_LE(largest(uniform.view()), 0.3);
  EXPECT_NEAR(deviation(uniform.view()), 0.3 / std::sqrt(3.0), 0.01);
  EXPECT_NEAR(mean(uniform.view()), 0, 0.01);
}

TEST(Initialization, OrthogonalBlocksAreOrthogonal) {
  for (const auto& [rows, width] : {std::pair<Index, Index>{24, 24}, {30, 10}, {10, 30}}) {
    const OneMatrix m("w", rows, 3 * width, init_by_name("orthogonal", 0, 3));
    for (Index gate = 0; gate < 3; ++gate) {
      const ConstMat block = m.block(gate, 3);
      const bool columns = rows >= width;  // the shorter side is orthonormal
      const Index count = columns ? width : rows;
      for (Index a = 0; a < count; ++a) {
        for (Index b = 0; b < count; ++b) {
          double dot = 0;
          for (Index k = 0; k < (columns ? rows : width); ++k) {
            dot += columns ? static_cast<double>(block(k, a)) * static_cast<double>(block(k, b))
                           : static_cast<double>(block(a, k)) * static_cast<double>(block(b, k));
          }
          ASSERT_NEAR(dot, a == b ? 1 : 0, 1e-6) << rows << " x " << width << " gate " << gate;
        }
      }
    }
  }
}

TEST(Initialization, OnlyTheForgetGateStartsWithABias) {
  for (const Cell* cell : cells()) {
    ParamStore store;
    RecurrentInit init;
    init.forget_bias = 1.5;
    const RecurrentLayer layer = RecurrentLayer::create(store, "layer", *cell, 3, 4, init);
    store.initialize(1);
    for (Index j = 0; j < layer.gates_size(); ++j) {
      const bool forget = std::string(cell->name) == "lstm" && j / 4 == 1;  // i, f, g, o
      EXPECT_EQ(layer.input.b.in(store.values())(0, j), forget ? Real(1.5) : 0) << cell->name << " " << j;
    }
  }
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
