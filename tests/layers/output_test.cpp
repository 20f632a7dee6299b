// The fused output layer: tied and untied, over one and several chunks of rows.
#include "layers/output.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/cross_entropy.h"
#include "support/gradient_check.h"
#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr Index kSize = 4, kVocabulary = 7;
constexpr Index kMostRows = 899;  // three chunks, the last not full
constexpr double kSmoothing = 0.1;

#ifdef DRAGOMAN_DOUBLE
constexpr double kBound = 1e-10;
#else
constexpr double kBound = 3e-4;  // sums of 899 losses of about 3
#endif

struct Case {
  ParamStore store;
  OutputLayer layer;
  Numbers r;
  std::vector<TokenId> labels;
  Workspace workspace;

  Case(bool tied, Index rows) : r(rows, kSize, 2) {
    const Init init{Init::Kind::normal, 0.8};
    layer.tied = tied;
    layer.w = tied ? store.add("embedding", kVocabulary, kSize, init) : store.add("w", kSize, kVocabulary, init);
    layer.b = store.add_bias("b", kVocabulary);
    initialize_with_biases(store, 1);
    Rng rng(3);
    for (Index i = 0; i < rows; ++i) labels.push_back(static_cast<TokenId>(rng.below(kVocabulary)));
  }

  /// Row by row, by the definition of logits.
  LossSums expected(std::vector<double>* log_probs) const {
    LossSums sums;
    const ConstMat w = layer.w.in(store.values());
    for (Index i = 0; i < r.rows; ++i) {
      std::vector<Real> logits(kVocabulary);
      for (Index v = 0; v < kVocabulary; ++v) {
        double sum = static_cast<double>(layer.b.in(store.values())(0, v));
        for (Index k = 0; k < kSize; ++k) {
          sum += static_cast<double>(r.view()(i, k)) * static_cast<double>(layer.tied ? w(v, k) : w(k, v));
        }
        logits[v] = static_cast<Real>(sum);
      }
      const LabelLoss label = cross_entropy(logits.data(), kVocabulary, labels[i], kSmoothing, false);
      LossSums one;
      one.loss = label.loss;
      one.negative_log_prob = -label.log_prob;
      one.labels = 1;
      one.correct = label.correct ? 1 : 0;
      sums.add(one);
      log_probs->push_back(label.log_prob);
    }
    return sums;
  }
};

void expect_sums(const LossSums& found, const LossSums& expected) {
  EXPECT_NEAR(found.loss, expected.loss, kBound);
  EXPECT_NEAR(found.negative_log_prob, expected.negative_log_prob, kBound);
  EXPECT_EQ(found.labels, expected.labels);
  EXPECT_EQ(found.correct, expected.correct);
}

TEST(OutputLayer, SumsMatchTheDefinitionForAnyNumberOfChunks) {
  for (const bool tied : {false, true}) {
    for (const Index rows : {1, 5, 300, 301, int(kMostRows)}) {
      SCOPED_TRACE(std::to_string(rows) + (tied ? " tied" : " untied"));
      Case c(tied, rows);
      std::vector<double> expected_log_probs;
      const LossSums expected = c.expected(&expected_log_probs);
      std::vector<double> log_probs(rows, 1);
      expect_sums(c.layer.loss(c.store.values(), c.r, c.labels, kSmoothing, log_probs, c.workspace), expected);
      for (Index i = 0; i < rows; ++i) EXPECT_NEAR(log_probs[i], expected_log_probs[i], kBound / 10) << i;
      expect_sums(c.layer.loss(c.store.values(), c.r, c.labels, kSmoothing, {}, c.workspace), expected);

      NoisyGradient gradient(c.store.size());
      Numbers dr(rows, kSize, 4);
      expect_sums(
          c.layer.loss_backward(c.store.values(), c.r, c.labels, kSmoothing, dr.mat(), gradient.grads(), c.workspace),
          expected);
    }
  }
}

TEST(OutputLayer, GradientsOfManyRowsAreThoseOfEachRowByItself) {
  for (const bool tied : {false, true}) {
    Case c(tied, kMostRows);
    NoisyGradient together(c.store.size()), apart(c.store.size());
    Numbers dr(kMostRows, kSize, 4), dr_apart(kMostRows, kSize, 5);
    const Values values = c.store.values();
    c.layer.loss_backward(values, c.r, c.labels, kSmoothing, dr.mat(), together.grads(), c.workspace);
    for (Index i = 0; i < kMostRows; ++i) {
      c.layer.loss_backward(values, c.r.view().row_range(i, 1), std::span(c.labels).subspan(i, 1), kSmoothing,
                            dr_apart.mat().row_range(i, 1), apart.grads(), c.workspace);
    }
    for (Index i = 0; i < kMostRows * kSize; ++i) ASSERT_NEAR(dr.data[i], dr_apart.data[i], 1e-5) << i / kSize;
    for (std::size_t i = 0; i < c.store.size(); ++i) {
      ASSERT_NEAR(together.data()[i], apart.data()[i], 2e-6 * kMostRows) << i;
    }
  }
}

TEST(OutputLayer, HoldsTheLogitsOfAThirdOfTheTestedRowsAtMost) {
  for (const bool gradient : {false, true}) {
    Case c(false, kMostRows);
    NoisyGradient grads(c.store.size());
    Numbers dr(kMostRows, kSize, 4);
    if (gradient) {
      c.layer.loss_backward(c.store.values(), c.r, c.labels, kSmoothing, dr.mat(), grads.grads(), c.workspace);
    } else {
      c.layer.loss(c.store.values(), c.r, c.labels, kSmoothing, {}, c.workspace);
    }
    EXPECT_LE(c.workspace.peak_bytes(), (kMostRows + 3) / 3 * kVocabulary * sizeof(Real) + 64)
        << "larger chunks need more rows in these tests";
  }
}

#ifdef DRAGOMAN_DOUBLE
TEST(OutputLayer, GradientsMatchDifferences) {
  for (const bool tied : {false, true}) {
    for (const Index rows : {3, 601}) {
      SCOPED_TRACE(std::to_string(rows) + (tied ? " tied" : " untied"));
      Case c(tied, rows);
      const auto loss = [&] { return c.layer.loss(c.store.values(), c.r, c.labels, kSmoothing, {}, c.workspace).loss; };
      NoisyGradient gradient(c.store.size());
      Numbers dr(rows, kSize, 4);  // noise, overwritten
      c.layer.loss_backward(c.store.values(), c.r, c.labels, kSmoothing, dr.mat(), gradient.grads(), c.workspace);
      check_gradient("r", c.r.data.data(), dr.data.data(), rows * kSize, loss);
      const std::vector<Real> added = gradient.added();
      for (const Param& p : c.store.params()) {
        check_gradient(p.name, c.store.data() + p.ref.offset, added.data() + p.ref.offset, p.ref.rows * p.ref.cols,
                       loss);
      }
      if (HasFatalFailure()) return;
    }
  }
}
#endif

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
