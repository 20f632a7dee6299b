// Multi-head attention: PyTorch's numbers, gradients against differences, and what may not change a bit.
#include "attention/multi_head.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/rng.h"
#include "support/golden.h"
#include "support/gradient_check.h"
#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

Numbers copy_of(ConstMat m) {
  Numbers copied(m.rows, m.cols, 0);
  for (Index i = 0; i < m.rows; ++i) std::copy_n(m.row(i), m.cols, copied.mat().row(i));
  return copied;
}

Real largest(ConstMat m) {
  Real most = 0;
  for (Index i = 0; i < m.rows; ++i) {
    for (Index j = 0; j < m.cols; ++j) most = std::max(most, std::abs(m(i, j)));
  }
  return most;
}

TEST(MultiHead, QueriesKeysAndValuesStartSmallerThanTheOutput) {
  ParamStore store;
  const HeadOptions options{4, 16, 24, &scores().at("scaled_dot"), 0};
  const MultiHead layer = MultiHead::create(store, "layer", options, 64, 80, {Init::Kind::xavier});
  store.initialize(3);
  const auto bound = [](double in, double out) { return std::sqrt(6 / (in + out)); };
  const auto starts_at = [&](const Linear& linear, double expected) {
    EXPECT_LE(largest(linear.w.in(store.values())), expected);
    EXPECT_GT(largest(linear.w.in(store.values())), 0.99 * expected);
  };
  starts_at(layer.query, 0.70710678 * bound(64, 64));
  starts_at(layer.key, 0.70710678 * bound(80, 64));
  starts_at(layer.value, 0.70710678 * bound(80, 96));
  starts_at(layer.output, bound(96, 64));
}

void check_golden(const nlohmann::json& golden) {
  SCOPED_TRACE(golden.at("name").get<std::string>());
  const nlohmann::json& tensors = golden.at("tensors");
  const HeadOptions options{golden.at("heads").get<Index>(), golden.at("key_size").get<Index>(),
                            golden.at("value_size").get<Index>(), &scores().at(golden.at("score").get<std::string>()),
                            0};
  ParamStore store;
  const MultiHead layer = MultiHead::create(store, "layer", options, golden.at("width").get<Index>(),
                                            golden.at("memory_width").get<Index>(), {Init::Kind::normal, 1});
  set_parameters(store, tensors);
  std::vector<KeyRange> ranges;
  for (const nlohmann::json& range : golden.at("ranges")) {
    ranges.push_back({range.at(0).get<Index>(), range.at(1).get<Index>()});
  }
  const Numbers queries = golden_matrix(tensors.at("queries"));
  const Numbers memory = golden_matrix(tensors.at("memory"));

  Workspace workspace;
  MultiHead::Saved saved;
  const MultiHead::KeysValues kv = layer.project(store.values(), memory, workspace);
  const Mat y = layer.forward(store.values(), queries, kv, ranges, {}, false, workspace, saved);
  expect_golden("y", y, golden.at("y"));

  Numbers dy(y.rows, y.cols, 0);
  const auto given = golden.at("dy").get<std::vector<double>>();
  ASSERT_EQ(given.size(), dy.data.size());
  for (std::size_t i = 0; i < given.size(); ++i) dy.data[i] = static_cast<Real>(given[i]);
  std::vector<Real> gradient(store.size());
  const Mat dqueries = workspace.mat(queries.rows, queries.cols);
  const Mat dmemory = workspace.zeros(memory.rows, memory.cols);
  const MultiHead::KeysValues dkv{workspace.zeros(kv.keys.rows, kv.keys.cols),
                                  workspace.zeros(kv.values.rows, kv.values.cols)};
  layer.backward(store.values(), saved, dy, dqueries, dkv, {gradient.data()}, workspace);
  layer.project_backward(store.values(), memory, dkv, dmemory, {gradient.data()});
  expect_golden_gradients(store, gradient, tensors);
  expect_golden("dqueries", dqueries, tensors.at("queries").at("gradient"));
  expect_golden("dmemory", dmemory, tensors.at("memory").at("gradient"));
}

TEST(MultiHeadGolden, MatchesPyTorch) {
  std::set<std::string> tested;
  for (const nlohmann::json& golden : read_golden("multi_head.json")) {
    check_golden(golden);
    tested.insert(golden.at("score").get<std::string>());
    if (HasFatalFailure()) return;
  }
  for (const char* score : {"dot", "scaled_dot"}) EXPECT_TRUE(tested.contains(score)) << score << " has no golden";
}

enum class Kind { self, causal, cross };

struct Shape {
  Kind kind = Kind::self;
  Index heads = 2, key_size = 3, value_size = 4;
  const Score* score = &kScaledDotScore;
  Real dropout = 0;
};

std::string description(const Shape& shape) {
  const char* kinds[] = {"self", "causal", "cross"};
  return std::string(kinds[static_cast<int>(shape.kind)]) + ", " + shape.score->name + ", " +
         std::to_string(shape.heads) + " heads" + (shape.dropout > 0 ? ", dropout" : "");
}

constexpr Index kRows = 11, kWidth = 5;
const std::vector<Index> kOffset = {0, 5, 7, 11};       // lengths 5, 2, 4
const std::vector<Index> kCrossOffset = {0, 3, 9, 10};  // of another memory

/// A layer over three sentences; in self-attention x is the memory.
struct Case {
  ParamStore store;
  MultiHead layer;
  Shape shape;
  std::vector<Index> offset;  ///< of the memory
  std::vector<KeyRange> ranges;
  std::vector<std::uint64_t> noise;
  Numbers x, other;
  Workspace workspace;
  MultiHead::Saved saved;

  explicit Case(const Shape& s)
      : shape(s),
        offset(s.kind == Kind::cross ? kCrossOffset : kOffset),
        x(kRows, kWidth, 1, 1),
        other(s.kind == Kind::cross ? kCrossOffset.back() : 0, 7, 2, 2) {
    layer = MultiHead::create(store, "layer", {s.heads, s.key_size, s.value_size, s.score, s.dropout}, kWidth,
                              s.kind == Kind::cross ? other.cols : kWidth, {Init::Kind::normal, 0.6});
    initialize_with_biases(store, 3);
    for (std::size_t i = 0; i + 1 < kOffset.size(); ++i) {
      for (Index row = kOffset[i]; row < kOffset[i + 1]; ++row) {
        ranges.push_back({offset[i], s.kind == Kind::causal ? row + 1 : offset[i + 1]});
        noise.push_back(hash_key({4, static_cast<std::uint64_t>(row)}));
      }
    }
  }

  Numbers& memory() { return shape.kind == Kind::cross ? other : x; }

  Mat forward() {
    workspace.reset();
    const MultiHead::KeysValues kv = layer.project(store.values(), memory(), workspace);
    return layer.forward(store.values(), x, kv, ranges, noise, false, workspace, saved);
  }

  /// Queries begin .. begin + count - 1 of one sentence, with nothing but what they see.
  Mat forward_alone(Index begin, Index count) {
    workspace.reset();
    const Index first = ranges[begin].begin;
    Index end = 0;
    std::vector<KeyRange> seen;
    for (Index i = begin; i < begin + count; ++i) {
      seen.push_back({0, ranges[i].size()});
      end = std::max(end, ranges[i].end);
    }
    const std::vector<std::uint64_t> keys(noise.begin() + begin, noise.begin() + begin + count);
    const MultiHead::KeysValues kv =
        layer.project(store.values(), memory().view().row_range(first, end - first), workspace);
    MultiHead::Saved alone;
    return layer.forward(store.values(), x.view().row_range(begin, count), kv, seen, keys, false, workspace, alone);
  }
};

/// Kinds x dropout.
std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const Kind kind : {Kind::self, Kind::causal, Kind::cross}) {
    for (const Real dropout : {Real(0), Real(0.3)}) {
      Shape shape;
      shape.kind = kind;
      shape.dropout = dropout;
      all.push_back(shape);
    }
  }
  return all;
}

#ifdef DRAGOMAN_DOUBLE

void check_gradients(const Shape& shape) {
  SCOPED_TRACE(description(shape));
  Case c(shape);
  c.forward();
  const Numbers dy(kRows, kWidth, 5);
  NoisyGradient gradient(c.store.size());
  Numbers dx(kRows, kWidth, 6, 2);  // noise, overwritten
  const Mat keys = c.saved.kv.keys, values = c.saved.kv.values;
  NoisyGradient dkeys(static_cast<std::size_t>(keys.rows * keys.cols), 7);
  NoisyGradient dvalues(static_cast<std::size_t>(values.rows * values.cols), 8);
  c.layer.backward(
      c.store.values(), c.saved, dy, dx.mat(),
      {{dkeys.data(), keys.rows, keys.cols, keys.cols}, {dvalues.data(), values.rows, values.cols, values.cols}},
      gradient.grads(), c.workspace);
  std::vector<Real> keys_added = dkeys.added(), values_added = dvalues.added();
  const MultiHead::KeysValues dkv{{keys_added.data(), keys.rows, keys.cols, keys.cols},
                                  {values_added.data(), values.rows, values.cols, values.cols}};
  const auto loss = [&] { return inner_product(c.forward(), dy); };
  if (shape.kind == Kind::cross) {
    NoisyGradient dmemory(c.other.data.size(), 9);
    c.layer.project_backward(c.store.values(), c.other, dkv, {dmemory.data(), c.other.rows, c.other.cols, c.other.ld},
                             gradient.grads());
    check_gradient("memory", c.other.data.data(), dmemory.added().data(), static_cast<Index>(c.other.data.size()),
                   loss);
  } else {
    c.layer.project_backward(c.store.values(), c.x, dkv, dx.mat(), gradient.grads());
  }
  for (Index i = 0; i < kRows; ++i) check_gradient("x", c.x.mat().row(i), dx.mat().row(i), kWidth, loss);
  const std::vector<Real> added = gradient.added();
  for (const Param& p : c.store.params()) {
    check_gradient(p.name, c.store.data() + p.ref.offset, added.data() + p.ref.offset, p.ref.rows * p.ref.cols, loss);
  }
}

TEST(MultiHead, GradientsMatchDifferences) {
  for (Shape shape : shapes()) {
    for (const Score* score : {&kDotScore, &kScaledDotScore}) {
      for (const Index heads : {1, 2, 3}) {
        shape.score = score;
        shape.heads = heads;
        shape.key_size = heads == 2 ? 4 : 2;  // wider and narrower than values
        shape.value_size = 3;
        check_gradients(shape);
        if (HasFatalFailure()) return;
      }
    }
  }
}

#endif

TEST(MultiHead, RowsAloneGiveTheSameBits) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(description(shape));
    Case c(shape);
    const Numbers whole = copy_of(c.forward());
    for (std::size_t i = 0; i + 1 < kOffset.size(); ++i) {
      for (Index begin = kOffset[i]; begin < kOffset[i + 1]; ++begin) {
        for (Index count = 1; begin + count <= kOffset[i + 1]; ++count) {
          EXPECT_TRUE(same_bits(c.forward_alone(begin, count), whole.view().row_range(begin, count)))
              << count << " rows from " << begin;
        }
      }
    }
  }
}

TEST(MultiHead, CausalRowsDontSeeLaterOnes) {
  for (const Real dropout : {Real(0), Real(0.3)}) {
    Shape shape;
    shape.kind = Kind::causal;
    shape.dropout = dropout;
    Case c(shape);
    const Numbers x = c.x;
    const Numbers before = copy_of(c.forward());
    for (std::size_t sentence = 0; sentence + 1 < kOffset.size(); ++sentence) {
      for (Index changed = kOffset[sentence]; changed < kOffset[sentence + 1]; ++changed) {
        c.x = x;
        for (Index j = 0; j < kWidth; ++j) c.x.mat()(changed, j) = 1 - x.view()(changed, j);
        const Mat y = c.forward();
        for (Index row = 0; row < kRows; ++row) {
          const bool sees = row >= changed && row < kOffset[sentence + 1];
          if (sees && dropout > 0) continue;  // it may be dropped
          EXPECT_EQ(same_bits(ConstMat(y).row_range(row, 1), before.view().row_range(row, 1)), !sees)
              << "row " << row << ", changed " << changed;
        }
      }
    }
  }
}

TEST(MultiHead, KeysOutsideTheRangeDontMatter) {
  Shape shape;
  shape.kind = Kind::cross;
  Case c(shape);
  // Queries of one piece see more or less of their sentence, in no order.
  c.ranges = {{0, 2}, {0, 3}, {0, 1}, {0, 3}, {0, 2}, {3, 7}, {3, 5}, {9, 10}, {9, 10}, {9, 10}, {9, 10}};
  const Numbers memory = c.other;
  const Numbers before = copy_of(c.forward());
  for (Index changed = 0; changed < memory.rows; ++changed) {
    c.other = memory;
    for (Index j = 0; j < memory.cols; ++j) c.other.mat()(changed, j) += Real(0.5);
    const Mat y = c.forward();
    for (Index i = 0; i < kRows; ++i) {
      const bool seen = changed >= c.ranges[i].begin && changed < c.ranges[i].end;
      EXPECT_EQ(same_bits(ConstMat(y).row_range(i, 1), before.view().row_range(i, 1)), !seen)
          << "query " << i << ", key " << changed;
    }
  }
  for (std::size_t s = 0; s + 1 < kCrossOffset.size(); ++s) {  // other sentences' rows are not read at all
    c.other = memory;
    for (Index row = 0; row < memory.rows; ++row) {
      if (row >= kCrossOffset[s] && row < kCrossOffset[s + 1]) continue;
      std::fill_n(c.other.mat().row(row), memory.cols, std::numeric_limits<Real>::quiet_NaN());
    }
    const Index count = kOffset[s + 1] - kOffset[s];
    EXPECT_TRUE(
        same_bits(ConstMat(c.forward()).row_range(kOffset[s], count), before.view().row_range(kOffset[s], count)))
        << "sentence " << s;
  }
}

TEST(MultiHead, WeightsAreDistributionsOverWhatIsSeen) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(description(shape));
    Case c(shape);
    c.forward();
    for (Index head = 0; head < shape.heads; ++head) {
      const ConstMat values = ConstMat(c.saved.kv.values).col_range(head * shape.value_size, shape.value_size);
      for (std::size_t s = 0; s + 1 < kOffset.size(); ++s) {
        const Index begin = kOffset[s], count = kOffset[s + 1] - begin, keys = c.offset[s + 1] - c.offset[s];
        Numbers a(count, keys, 10, 2);
        c.layer.weights(c.saved, head, begin, a.mat(), c.workspace);
        for (Index i = 0; i < count; ++i) {
          double sum = 0;
          for (Index j = 0; j < keys; ++j) {
            if (j < c.ranges[begin + i].size()) {
              EXPECT_GT(a.view()(i, j), 0) << "query " << begin + i << ", key " << j;
              sum += static_cast<double>(a.view()(i, j));
            } else {
              EXPECT_EQ(a.view()(i, j), 0) << "query " << begin + i << ", key " << j;
            }
          }
          EXPECT_NEAR(sum, 1, 1e-6) << "query " << begin + i;
          for (Index v = 0; shape.dropout == 0 && v < shape.value_size; ++v) {  // they made the contexts
            double context = 0;
            for (Index j = 0; j < keys; ++j) {
              context += static_cast<double>(a.view()(i, j)) * static_cast<double>(values(c.offset[s] + j, v));
            }
            EXPECT_NEAR(c.saved.contexts(begin + i, head * shape.value_size + v), context, 1e-5);
          }
        }
        Numbers last(1, keys, 11);  // from within a sentence
        c.layer.weights(c.saved, head, begin + count - 1, last.mat(), c.workspace);
        EXPECT_TRUE(same_bits(last, a.view().row_range(count - 1, 1)));
      }
    }
  }
}

TEST(MultiHead, EachHeadDropsOtherWeights) {
  for (const Real dropout : {Real(0), Real(0.3)}) {
    Shape shape;
    shape.dropout = dropout;
    Case c(shape);
    for (const Linear* part : {&c.layer.query, &c.layer.key, &c.layer.value}) {  // make both heads the same
      for (const ParamRef& ref : {part->w, part->b}) {
        const Index half = ref.cols / 2;
        const Mat m{c.store.data() + ref.offset, ref.rows, ref.cols, ref.cols};
        for (Index i = 0; i < m.rows; ++i) std::copy_n(m.row(i), half, m.row(i) + half);
      }
    }
    c.forward();
    const ConstMat contexts = c.saved.contexts;
    EXPECT_EQ(
        same_bits(contexts.col_range(0, shape.value_size), contexts.col_range(shape.value_size, shape.value_size)),
        dropout == 0);
  }
}

TEST(MultiHead, WithoutNoiseNothingIsDropped) {
  for (Shape shape : shapes()) {
    if (shape.dropout == 0) continue;
    SCOPED_TRACE(description(shape));
    Case with(shape);
    shape.dropout = 0;
    Case without(shape);
    EXPECT_FALSE(same_bits(with.forward(), without.forward()));
    with.noise.clear();
    EXPECT_TRUE(same_bits(with.forward(), without.forward()));
  }
}

TEST(MultiHead, ProjectsItself) {
  for (const Score* score : {&kGeneralScore, &kAdditiveScore}) {
    ParamStore store;
    EXPECT_THROW(MultiHead::create(store, "layer", {2, 3, 3, score, 0}, 6, 6, {Init::Kind::normal, 1}),
                 std::logic_error);
  }
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
