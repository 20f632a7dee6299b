// Label-smoothed cross-entropy against its formula in double, its gradient, and which label counts as correct.
#include "kernels/cross_entropy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/gradient_check.h"
#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

#ifdef DRAGOMAN_DOUBLE
constexpr double kBound = 1e-13;
#else
constexpr double kBound = 3e-6;
#endif

std::vector<double> log_probabilities(const std::vector<Real>& logits) {
  const double highest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const Real x : logits) sum += std::exp(static_cast<double>(x) - highest);
  std::vector<double> result;
  for (const Real x : logits) result.push_back(static_cast<double>(x) - highest - std::log(sum));
  return result;
}

TEST(CrossEntropy, LossAndGradientMatchTheFormula) {
  for (const Index n : {1, 2, 7, 8, 33, 1000}) {
    for (const double smoothing : {0.0, 0.1, 0.5}) {
      for (const Index label : {Index(0), n / 2, n - 1}) {
        const std::vector<Real> logits = random_numbers(n, 1, 2);
        const std::vector<double> log_p = log_probabilities(logits);
        double uniform = 0;
        for (const double x : log_p) uniform -= x / static_cast<double>(n);
        const double loss = (1 - smoothing) * -log_p[label] + smoothing * uniform;
        std::vector<Real> work = logits;
        const LabelLoss result = cross_entropy(work.data(), n, static_cast<TokenId>(label), smoothing, true);
        EXPECT_NEAR(result.loss, loss, kBound) << n << " " << smoothing << " " << label;
        EXPECT_NEAR(result.log_prob, log_p[label], kBound) << n << " " << smoothing << " " << label;
        for (Index v = 0; v < n; ++v) {
          const double expected =
              std::exp(log_p[v]) - (v == label ? 1 - smoothing : 0) - smoothing / static_cast<double>(n);
          ASSERT_NEAR(static_cast<double>(work[v]), expected, kBound) << n << " " << smoothing << " [" << v << "]";
        }
      }
    }
  }
}

TEST(CrossEntropy, WithoutGradientGivesTheSameLossAndKeepsTheLogits) {
  const std::vector<Real> logits = random_numbers(50, 2, 2);
  std::vector<Real> kept = logits;
  std::vector<Real> overwritten = logits;
  const LabelLoss without = cross_entropy(kept.data(), 50, 17, 0.1, false);
  const LabelLoss with = cross_entropy(overwritten.data(), 50, 17, 0.1, true);
  EXPECT_EQ(kept, logits);
  EXPECT_NE(overwritten, logits);
  EXPECT_NEAR(without.loss, with.loss, kBound);
  EXPECT_NEAR(without.log_prob, with.log_prob, kBound);
  EXPECT_EQ(without.correct, with.correct);
}

TEST(CrossEntropy, IsSafeForLargeLogits) {
  std::vector<Real> logits = {Real(3000), Real(2000), Real(2998)};
  const LabelLoss result = cross_entropy(logits.data(), 3, 1, 0, true);
  EXPECT_NEAR(result.loss, 1000 + std::log1p(std::exp(-2.0)), 1e-3);
  EXPECT_NEAR(logits[1], -1, kBound);
}

#ifdef DRAGOMAN_DOUBLE
TEST(CrossEntropy, GradientMatchesDifferences) {
  for (const double smoothing : {0.0, 0.1}) {
    std::vector<Real> logits = random_numbers(13, 3);
    std::vector<Real> gradient = logits;
    cross_entropy(gradient.data(), 13, 4, smoothing, true);
    check_gradient("logits", logits.data(), gradient.data(), 13,
                   [&] { return cross_entropy(logits.data(), 13, 4, smoothing, false).loss; });
  }
}
#endif

TEST(CrossEntropy, TheHighestLogitIsCorrectAndOfTiesTheLowestId) {
  const auto correct = [](std::vector<Real> logits, TokenId label) {
    return cross_entropy(logits.data(), static_cast<Index>(logits.size()), label, 0.1, true).correct;
  };
  EXPECT_TRUE(correct({1, 3, 2}, 1));
  EXPECT_FALSE(correct({1, 3, 2}, 2));
  EXPECT_TRUE(correct({1, 3, 3}, 1));
  EXPECT_FALSE(correct({1, 3, 3}, 2));
  EXPECT_TRUE(correct({0, 0, 0}, 0));
  EXPECT_FALSE(correct({0, 0, 0}, 1));
  EXPECT_TRUE(correct({-5}, 0));
}

TEST(CrossEntropy, NanLogitsGiveANanLoss) {
  for (Index at = 0; at < 20; ++at) {
    std::vector<Real> logits = random_numbers(20, 4);
    logits[at] = std::numeric_limits<Real>::quiet_NaN();
    EXPECT_TRUE(std::isnan(cross_entropy(logits.data(), 20, 3, 0.0, true).loss)) << at;
  }
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
