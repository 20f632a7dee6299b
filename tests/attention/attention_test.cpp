// Every score of the table through AttentionLayer: the formula, gradients with ragged key ranges, dropout and masking.
#include "attention/attention_layer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/rng.h"
#include "support/gradient_check.h"
#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr Index kQueries = 7, kKeys = 11, kValueSize = 3, kAdditiveSize = 4, kLongest = 5;
const std::vector<KeyRange> kRanges = {{0, 5}, {0, 5}, {5, 7}, {7, 11}, {7, 11}, {5, 7}, {8, 9}};
/// Queries of one piece see different numbers of keys, as causal ones do; the longest range need not be the last.
const std::vector<KeyRange> kCausalRanges = {{0, 1}, {0, 5}, {0, 3}, {5, 6}, {5, 7}, {7, 9}, {7, 11}};

struct Case {
  ParamStore store;
  AttentionLayer layer;
  std::vector<KeyRange> ranges;
  Numbers queries, keys, values, weights, context, dcontext;
  Dropout dropout;
  std::vector<std::uint64_t> noise;
  Workspace workspace;

  explicit Case(const Score& score, const std::vector<KeyRange>& key_ranges = kRanges, Real drop = 0)
      : ranges(key_ranges),
        queries(kQueries, 5, 1),
        keys(kKeys, score.projects_keys ? 6 : 5, 2),
        values(kKeys, kValueSize, 3),
        weights(kQueries, kLongest, 4),
        context(kQueries, kValueSize, 5),
        dcontext(kQueries, kValueSize, 6),
        dropout{drop, hash_name("attention")} {
    const Index size = score.projects_queries ? kAdditiveSize : queries.cols;
    layer = AttentionLayer::create(store, "attention", score, queries.cols, keys.cols, size, {Init::Kind::normal, 0.6});
    initialize_with_biases(store, 7);
    for (std::uint64_t i = 0; i < kQueries; ++i) noise.push_back(hash_key({8, i}));
  }

  [[nodiscard]] AttentionInput input(ConstMat q, ConstMat k) const {
    AttentionInput in = layer.input(store.values(), q, k, values, ranges);
    in.dropout = dropout;
    in.noise_keys = noise;
    return in;
  }

  /// The projected queries and keys, which backward wants too.
  std::pair<ConstMat, ConstMat> forward() {
    workspace.reset();
    const Mat q = workspace.mat(kQueries, layer.size);
    layer.project_queries(store.values(), queries, q);
    const ConstMat k = layer.project_keys(store.values(), keys, workspace);
    attend(input(q, k), weights.mat(), context.mat(), workspace);
    return {q, k};
  }

  /// The longest range of the piece of query i: of its neighbors whose ranges begin where its does.
  [[nodiscard]] Index longest_of_piece(Index i) const {
    Index begin = i, most = 0;
    while (begin > 0 && ranges[begin - 1].begin == ranges[i].begin) --begin;
    for (; begin < kQueries && ranges[begin].begin == ranges[i].begin; ++begin) {
      most = std::max(most, ranges[begin].size());
    }
    return most;
  }
};

/// Equal and different ranges within a piece, each without and with dropout.
template <class Check>
void for_each_case(Check check) {
  for (const Score* score : scores()) {
    for (const bool causal : {false, true}) {
      for (const Real dropout : {Real(0), Real(0.4)}) {
        SCOPED_TRACE(std::string(score->name) + (causal ? ", causal" : "") + (dropout > 0 ? ", dropout" : ""));
        Case c(*score, causal ? kCausalRanges : kRanges, dropout);
        check(c);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

double product(ConstMat m, const Real* column, Index j, Index rows) {
  double sum = 0;
  for (Index i = 0; i < rows; ++i) sum += static_cast<double>(column[i]) * static_cast<double>(m(i, j));
  return sum;
}

/// f(q, k) written out from the papers, for the scores of the table; a new score needs a line here.
double score_by_definition(const Case& c, const Real* q, const Real* k) {
  const std::string name = c.layer.score->name;
  const Values values = c.store.values();
  double sum = 0;
  if (name == "dot" || name == "scaled_dot") {
    for (Index i = 0; i < 5; ++i) sum += static_cast<double>(q[i]) * static_cast<double>(k[i]);
    return name == "dot" ? sum : sum / std::sqrt(5.0);
  }
  if (name == "general") {
    for (Index i = 0; i < 5; ++i) sum += static_cast<double>(q[i]) * product(c.layer.key.w.in(values), k, i, 6);
    return sum;
  }
  if (name == "additive") {
    for (Index a = 0; a < kAdditiveSize; ++a) {
      const double inside = product(c.layer.query.w.in(values), q, a, 5) + product(c.layer.key.w.in(values), k, a, 6) +
                            static_cast<double>(c.layer.key.b.in(values)(0, a));
      sum += static_cast<double>(c.layer.v.in(values)(0, a)) * std::tanh(inside);
    }
    return sum;
  }
  if (name == "cosine") {  // of tests/extensions; norms of squares + 1e-12
    double qq = 1e-12, kk = 1e-12;
    for (Index i = 0; i < 5; ++i) {
      const double key = product(c.layer.key.w.in(values), k, i, 6);
      sum += static_cast<double>(q[i]) * key;
      qq += static_cast<double>(q[i]) * static_cast<double>(q[i]);
      kk += key * key;
    }
    return static_cast<double>(c.layer.v.in(values)(0, 0)) * sum / std::sqrt(qq * kk);
  }
  ADD_FAILURE() << "no definition of the score " << name;
  return 0;
}

TEST(Attention, MatchesTheFormulaForEveryScore) {
  for_each_case([](Case& c) {
    c.forward();
    for (Index i = 0; i < kQueries; ++i) {
      std::vector<double> a;
      double sum = 0;
      for (Index j = c.ranges[i].begin; j < c.ranges[i].end; ++j) {
        a.push_back(std::exp(score_by_definition(c, c.queries.view().row(i), c.keys.view().row(j))));
        sum += a.back();
      }
      std::vector<Real> mask(a.size(), 1);
      const auto seen = static_cast<Index>(a.size());
      c.dropout.apply({mask.data(), 1, seen, seen}, std::span(c.noise).subspan(static_cast<std::size_t>(i), 1));
      std::vector<double> expected(kValueSize);
      for (Index j = 0; j < seen; ++j) {
        ASSERT_NEAR(c.weights.view()(i, j), a[j] / sum, 1e-6) << "query " << i << " key " << j;
        for (Index v = 0; v < kValueSize; ++v) {
          expected[v] += static_cast<double>(mask[j]) * a[j] / sum *
                         static_cast<double>(c.values.view()(c.ranges[i].begin + j, v));
        }
      }
      for (Index v = 0; v < kValueSize; ++v) ASSERT_NEAR(c.context.view()(i, v), expected[v], 3e-6) << "query " << i;
    }
  });
}

TEST(Attention, WeightsAreZeroBeyondTheRange) {
  for_each_case([](Case& c) {
    const Numbers before = c.weights;
    c.forward();
    for (Index i = 0; i < kQueries; ++i) {
      for (Index j = c.ranges[i].size(); j < kLongest; ++j) {  // beyond the piece nothing is written
        const Real expected = j < c.longest_of_piece(i) ? 0 : before.view()(i, j);
        EXPECT_EQ(c.weights.view()(i, j), expected) << "query " << i << " column " << j;
      }
    }
  });
}

/// Largest difference, relative to the largest number of b.
double difference(ConstMat a, ConstMat b) {
  double most = 0, largest = 1e-30;
  for (Index i = 0; i < a.rows; ++i) {
    for (Index j = 0; j < a.cols; ++j) {
      most = std::max(most, std::fabs(static_cast<double>(a(i, j)) - static_cast<double>(b(i, j))));
      largest = std::max(largest, std::fabs(static_cast<double>(b(i, j))));
    }
  }
  return most / largest;
}

constexpr double kRounding = sizeof(Real) == 8 ? 1e-14 : 5e-6;

/// Without kept weights pieces are computed transposed, in vector lanes; by rows is the reference.
TEST(Attention, IsTheSameWithAndWithoutKeptWeights) {
  for_each_case([](Case& c) {
    const auto [q, k] = c.forward();
    const AttentionInput in = c.input(q, k);
    Numbers context(kQueries, kValueSize, 9);
    attend(in, {}, context.mat(), c.workspace);
    EXPECT_LE(difference(context, c.context), kRounding);

    AttentionInput without_noise = in;  // weights are kept as they were before dropout
    without_noise.noise_keys = {};
    Numbers weights(kQueries, kLongest, 4);
    attend(without_noise, weights.mat(), context.mat(), c.workspace);
    EXPECT_TRUE(same_bits(weights, c.weights));
    EXPECT_EQ(same_bits(context, c.context), c.dropout.p == 0);

    const Index size = c.layer.size;
    std::vector<Numbers> gradients;  // with weights kept, without
    for (const ConstMat kept : {c.weights.view(), ConstMat()}) {
      Numbers dq(kQueries, size, 10), dk(kKeys, size, 11), dvalues(kKeys, kValueSize, 12), dv(1, size, 13);
      attend_backward(in, kept, c.dcontext, {dq.mat(), dk.mat(), dvalues.mat(), dv.data.data()}, c.workspace);
      for (Numbers* m : {&dq, &dk, &dvalues, &dv}) gradients.push_back(std::move(*m));
    }
    for (std::size_t i = 0; i < 4; ++i) EXPECT_LE(difference(gradients[i + 4], gradients[i]), kRounding) << i;
  });
}

TEST(Attention, ByQueryIsTheSameAndDependsOnNoOtherQuery) {
  for_each_case([](Case& c) {
    if (!c.layer.score->is_product || c.dropout.p > 0) return;
    const auto [q, k] = c.forward();
    AttentionInput in = c.input(q, k);
    in.noise_keys = {};
    in.by_query = true;
    Numbers context(kQueries, kValueSize, 9);
    attend(in, {}, context.mat(), c.workspace);
    EXPECT_LE(difference(context, c.context), kRounding);
    Numbers weights(kQueries, kLongest, 4);
    Numbers again(kQueries, kValueSize, 9);
    attend(in, weights.mat(), again.mat(), c.workspace);
    EXPECT_TRUE(same_bits(again, context));
    for (Index i = 0; i < kQueries; ++i) {
      const Index seen = c.ranges[i].size();
      EXPECT_LE(difference(weights.view().row_range(i, 1).col_range(0, seen),
                           c.weights.view().row_range(i, 1).col_range(0, seen)),
                kRounding);
    }
    std::vector<Numbers> gradients;  // by query, by piece
    for (const bool by_query : {true, false}) {
      in.by_query = by_query;
      Numbers dq(kQueries, c.layer.size, 10), dk(kKeys, c.layer.size, 11), dvalues(kKeys, kValueSize, 12);
      attend_backward(in, by_query ? weights : c.weights, c.dcontext, {dq.mat(), dk.mat(), dvalues.mat()}, c.workspace);
      for (Numbers* m : {&dq, &dk, &dvalues}) gradients.push_back(std::move(*m));
    }
    for (std::size_t i = 0; i < 3; ++i) EXPECT_LE(difference(gradients[i + 3], gradients[i]), kRounding) << i;
    in.by_query = true;
    for (Index i = 0; i < kQueries; ++i) {
      AttentionInput one = in;
      one.queries = q.row_range(i, 1);
      one.ranges = in.ranges.subspan(static_cast<std::size_t>(i), 1);
      Numbers alone(1, kValueSize, 10);
      attend(one, {}, alone.mat(), c.workspace);
      EXPECT_TRUE(same_bits(alone, context.view().row_range(i, 1))) << i;
    }
  });
}

TEST(Attention, KeysBeyondTheRangeInsideAPieceDontMatter) {
  for (const Score* score : scores()) {
    SCOPED_TRACE(score->name);
    Case c(*score, kCausalRanges);
    c.forward();
    const Numbers before = c.context, keys = c.keys, values = c.values;
    for (Index changed = 0; changed < kKeys; ++changed) {
      c.keys = keys;
      c.values = values;
      for (Index j = 0; j < keys.cols; ++j) c.keys.mat()(changed, j) += Real(0.5);
      for (Index j = 0; j < values.cols; ++j) c.values.mat()(changed, j) += Real(0.5);
      c.forward();
      for (Index i = 0; i < kQueries; ++i) {
        const bool seen = changed >= c.ranges[i].begin && changed < c.ranges[i].end;
        EXPECT_EQ(same_bits(c.context.view().row_range(i, 1), before.view().row_range(i, 1)), !seen)
            << "query " << i << " key " << changed;
      }
    }
  }
}

TEST(Attention, KeysAndValuesOutsideTheRangeAreNotRead) {
  for (const Score* score : scores()) {
    SCOPED_TRACE(score->name);
    Case c(*score);
    c.forward();
    const Numbers before = c.context;
    for (const Index row : {0, 4, 5, 6, 7, 9, 10}) {  // all that query 6 may not see, which reads row 8
      for (Numbers* m : {&c.keys, &c.values}) {
        for (Index j = 0; j < m->cols; ++j) m->mat()(row, j) = std::numeric_limits<Real>::quiet_NaN();
      }
    }
    c.forward();
    EXPECT_TRUE(same_bits(c.context.view().row_range(6, 1), before.view().row_range(6, 1)));
    for (Index i = 0; i < 6; ++i) EXPECT_TRUE(std::isnan(c.context.view()(i, 0))) << "query " << i << " does read them";
  }
}

TEST(Attention, EqualKeysShareTheWeightEvenly) {
  for (const Score* score : scores()) {
    Case c(*score);
    for (Index row = 1; row < kKeys; ++row) std::copy_n(c.keys.mat().row(0), c.keys.cols, c.keys.mat().row(row));
    c.forward();
    for (Index i = 0; i < kQueries; ++i) {
      for (Index j = 0; j < kRanges[i].size(); ++j) {
        EXPECT_NEAR(c.weights.view()(i, j), 1.0 / static_cast<double>(kRanges[i].size()), 1e-6) << score->name;
      }
    }
  }
}

#ifdef DRAGOMAN_DOUBLE

TEST(Attention, GradientsMatchDifferencesForEveryScore) {
  for_each_case([](Case& c) {
    const auto [q, k] = c.forward();
    NoisyGradient gradient(c.store.size());
    // Keys and values get gradients added, queries overwritten.
    NoisyGradient dkeys(c.keys.data.size(), 11), dvalues(c.values.data.size(), 12);
    const Mat dq = c.workspace.mat(q.rows, q.cols);
    const Mat dk = c.workspace.zeros(k.rows, k.cols);
    const Mat dvalues_mat{dvalues.data(), kKeys, kValueSize, kValueSize};
    attend_backward(c.input(q, k), c.weights, c.dcontext, {dq, dk, dvalues_mat, c.layer.v.in(gradient.grads()).data},
                    c.workspace);
    c.layer.keys_backward(c.store.values(), c.keys, dk, {dkeys.data(), kKeys, c.keys.cols, c.keys.cols},
                          gradient.grads());
    Numbers dqueries(kQueries, c.queries.cols, 13);
    if (c.layer.score->projects_queries) {
      c.layer.query.backward(c.store.values(), c.queries, dq, dqueries.mat(), gradient.grads());
    } else {
      for (Index i = 0; i < kQueries; ++i) std::copy_n(dq.row(i), dq.cols, dqueries.mat().row(i));
    }

    const auto loss = [&] {
      c.forward();
      return inner_product(c.context, c.dcontext);
    };
    const std::vector<Real> added = gradient.added();
    for (const Param& p : c.store.params()) {
      check_gradient(p.name, c.store.data() + p.ref.offset, added.data() + p.ref.offset, p.ref.rows * p.ref.cols, loss);
    }
    check_gradient("queries", c.queries.data.data(), dqueries.data.data(), kQueries * c.queries.cols, loss);
    check_gradient("keys", c.keys.data.data(), dkeys.added().data(), kKeys * c.keys.cols, loss);
    check_gradient("values", c.values.data.data(), dvalues.added().data(), kKeys * kValueSize, loss);
  });
}

#endif

TEST(Scores, AreFoundByName) {
  for (const Score* score : scores()) EXPECT_EQ(&scores().at(score->name), score);
  EXPECT_THROW(static_cast<void>(scores().at("unknown")), std::logic_error);
}

TEST(Attention, WithoutProjectionNeedsEqualSizes) {
  ParamStore store;
  const Init init{Init::Kind::normal, 1};
  EXPECT_THROW(AttentionLayer::create(store, "attention", kDotScore, 5, 6, 5, init), std::logic_error);
  EXPECT_NO_THROW(AttentionLayer::create(store, "attention", kGeneralScore, 5, 6, 5, init));
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
