// Every score of the table through AttentionLayer: the formula, gradients with ragged key ranges, and masking.
#include "attention/attention_layer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/gradient_check.h"
#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr Index kQueries = 7, kKeys = 11, kValueSize = 3, kAdditiveSize = 4, kLongest = 5;
const std::vector<KeyRange> kRanges = {{0, 5}, {0, 5}, {5, 7}, {7, 11}, {7, 11}, {5, 7}, {8, 9}};

struct Case {
  ParamStore store;
  AttentionLayer layer;
  Numbers queries, keys, values, weights, context, dcontext;
  Workspace workspace;

  explicit Case(const Score& score)
      : queries(kQueries, 5, 1),
        keys(kKeys, score.projects_keys ? 6 : 5, 2),
        values(kKeys, kValueSize, 3),
        weights(kQueries, kLongest, 4),
        context(kQueries, kValueSize, 5),
        dcontext(kQueries, kValueSize, 6) {
    const Index size = score.projects_queries ? kAdditiveSize : queries.cols;
    layer = AttentionLayer::create(store, "attention", score, queries.cols, keys.cols, size, {Init::Kind::normal, 0.6});
    initialize_with_biases(store, 7);
  }

  /// The projected queries and keys, which backward wants too.
  std::pair<ConstMat, ConstMat> forward() {
    workspace.reset();
    const Mat q = workspace.mat(kQueries, layer.size);
    layer.project_queries(store.values(), queries, q);
    const ConstMat k = layer.project_keys(store.values(), keys, workspace);
    attend(layer.input(store.values(), q, k, values, kRanges), weights.mat(), context.mat(), workspace);
    return {q, k};
  }
};

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
  ADD_FAILURE() << "no definition of the score " << name;
  return 0;
}

TEST(Attention, MatchesTheFormulaForEveryScore) {
  for (const Score* score : scores()) {
    SCOPED_TRACE(score->name);
    Case c(*score);
    c.forward();
    for (Index i = 0; i < kQueries; ++i) {
      std::vector<double> a;
      double sum = 0;
      for (Index j = kRanges[i].begin; j < kRanges[i].end; ++j) {
        a.push_back(std::exp(score_by_definition(c, c.queries.view().row(i), c.keys.view().row(j))));
        sum += a.back();
      }
      std::vector<double> expected(kValueSize);
      for (Index j = 0; j < kRanges[i].size(); ++j) {
        ASSERT_NEAR(c.weights.view()(i, j), a[j] / sum, 1e-6) << "query " << i << " key " << j;
        for (Index v = 0; v < kValueSize; ++v) {
          expected[v] += a[j] / sum * static_cast<double>(c.values.view()(kRanges[i].begin + j, v));
        }
      }
      for (Index v = 0; v < kValueSize; ++v) ASSERT_NEAR(c.context.view()(i, v), expected[v], 2e-6) << "query " << i;
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
  for (const Score* score : scores()) {
    SCOPED_TRACE(score->name);
    Case c(*score);
    const auto [q, k] = c.forward();
    NoisyGradient gradient(c.store.size());
    // Keys and values get gradients added, queries overwritten.
    NoisyGradient dkeys(c.keys.data.size(), 11), dvalues(c.values.data.size(), 12);
    const Mat dq = c.workspace.mat(q.rows, q.cols);
    const Mat dk = c.workspace.zeros(k.rows, k.cols);
    const Mat dvalues_mat{dvalues.data(), kKeys, kValueSize, kValueSize};
    attend_backward(c.layer.input(c.store.values(), q, k, c.values, kRanges), c.weights, c.dcontext,
                    {dq, dk, dvalues_mat, c.layer.v.in(gradient.grads()).data}, c.workspace);
    c.layer.keys_backward(c.store.values(), c.keys, dk, {dkeys.data(), kKeys, c.keys.cols, c.keys.cols},
                          gradient.grads());
    Numbers dqueries(kQueries, c.queries.cols, 13);
    if (score->projects_queries) {
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
    if (HasFatalFailure()) return;
  }
}

#endif

TEST(Scores, AreFoundByName) {
  for (const Score* score : scores()) EXPECT_EQ(&score_by_name(score->name), score);
  EXPECT_THROW(score_by_name("unknown"), std::logic_error);
}

TEST(Attention, WithoutProjectionNeedsEqualSizes) {
  ParamStore store;
  const Init init{Init::Kind::normal, 1};
  EXPECT_THROW(AttentionLayer::create(store, "attention", kDotScore, 5, 6, 5, init), std::logic_error);
  EXPECT_NO_THROW(AttentionLayer::create(store, "attention", kGeneralScore, 5, 6, 5, init));
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
