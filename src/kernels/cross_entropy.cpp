#include "kernels/cross_entropy.h"

#include "kernels/softmax.h"
#include "kernels/vector_math.h"

namespace DRAGOMAN_NAMESPACE {

LabelLoss cross_entropy(Real* logits, Index n, TokenId label, double smoothing, bool gradient) {
  const Real highest = max_of(logits, n);
  const Real logit_sum = smoothing > 0 ? sum_of(n, [=](Index i) { return logits[i]; }) : Real(0);
  LabelLoss result;
  const Real at_label = logits[label];
  result.correct = at_label == highest;
  for (TokenId i = 0; i < label && result.correct; ++i) result.correct = logits[i] != highest;

  double normalizer = 0;
  if (gradient) {  // exp is computed once: for the sum, and scaled for p
    Real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (Index i = 0; i < n; ++i) {
      logits[i] = exp_of(logits[i] - highest);
      sum += logits[i];
    }
    normalizer = static_cast<double>(highest) + std::log(static_cast<double>(sum));
    const Real scale = 1 / sum;
    const auto share = static_cast<Real>(smoothing / static_cast<double>(n));
    vector_loop(n, [=](Index i) { logits[i] = logits[i] * scale - share; });
    logits[label] -= static_cast<Real>(1 - smoothing);
  } else {
    normalizer = log_normalizer(logits, n);
  }
  result.log_prob = static_cast<double>(at_label) - normalizer;
  // sum_v -log p_v = V normalizer - sum_v logit_v
  const double uniform = normalizer - static_cast<double>(logit_sum) / static_cast<double>(n);
  result.loss = (1 - smoothing) * -result.log_prob + (smoothing > 0 ? smoothing * uniform : 0);
  return result;
}

}  // namespace DRAGOMAN_NAMESPACE
