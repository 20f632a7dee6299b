#include "kernels/softmax.h"

#include "kernels/vector_math.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

Real max_of(const Real* x, Index n) {
  Real best = x[0];
#pragma omp simd reduction(max : best)
  for (Index i = 0; i < n; ++i) best = std::max(best, x[i]);
  return best;
}

}  // namespace

void softmax(Real* x, Index n) {
  const Real highest = max_of(x, n);
  Real sum = 0;
#pragma omp simd reduction(+ : sum)
  for (Index i = 0; i < n; ++i) {
    x[i] = exp_of(x[i] - highest);
    sum += x[i];
  }
  const Real scale = 1 / sum;
#pragma omp simd
  for (Index i = 0; i < n; ++i) x[i] *= scale;
}

void softmax_backward(const Real* p, const Real* dp, Real* dx, Index n) {
  const Real mean = dot(p, dp, n);
#pragma omp simd
  for (Index i = 0; i < n; ++i) dx[i] = p[i] * (dp[i] - mean);
}

double log_normalizer(const Real* x, Index n) {
  const Real highest = max_of(x, n);
  const Real sum = sum_of(n, [=](Index i) { return exp_of(x[i] - highest); });
  return static_cast<double>(highest) + std::log(static_cast<double>(sum));
}

}  // namespace DRAGOMAN_NAMESPACE
