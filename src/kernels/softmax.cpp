#include "kernels/softmax.h"

#include <algorithm>
#include <limits>

#include "kernels/vector_math.h"

namespace DRAGOMAN_NAMESPACE {
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

void softmax_columns(Mat x, const Real* seen, Real* scratch) {
  Real* highest = scratch;
  Real* sum = scratch + x.cols;
  std::fill_n(highest, x.cols, std::numeric_limits<Real>::lowest());
  std::fill_n(sum, x.cols, Real(0));
  for (Index j = 0; j < x.rows; ++j) {
    const Real* row = x.row(j);
    const auto place = static_cast<Real>(j);
    vector_loop(x.cols, [=](Index i) { highest[i] = place < seen[i] && row[i] > highest[i] ? row[i] : highest[i]; });
  }
  for (Index j = 0; j < x.rows; ++j) {
    Real* row = x.row(j);
    const auto place = static_cast<Real>(j);
    vector_loop(x.cols, [=](Index i) {
      const Real e = exp_of(row[i] - highest[i]);
      row[i] = place < seen[i] ? e : Real(0);
      sum[i] += row[i];
    });
  }
  vector_loop(x.cols, [=](Index i) { sum[i] = 1 / sum[i]; });
  for (Index j = 0; j < x.rows; ++j) {
    Real* row = x.row(j);
    vector_loop(x.cols, [=](Index i) { row[i] *= sum[i]; });
  }
}

void softmax_columns_backward(ConstMat p, ConstMat dp, Mat dx, Real* scratch) {
  std::fill_n(scratch, p.cols, Real(0));
  for (Index j = 0; j < p.rows; ++j) {
    const Real* a = p.row(j);
    const Real* da = dp.row(j);
    vector_loop(p.cols, [=](Index i) { scratch[i] += a[i] * da[i]; });
  }
  for (Index j = 0; j < p.rows; ++j) {
    const Real* a = p.row(j);
    const Real* da = dp.row(j);
    Real* to = dx.row(j);
    vector_loop(p.cols, [=](Index i) { to[i] = a[i] * (da[i] - scratch[i]); });
  }
}

double log_normalizer(const Real* x, Index n) {
  const Real highest = max_of(x, n);
  const Real sum = sum_of(n, [=](Index i) { return exp_of(x[i] - highest); });
  return static_cast<double>(highest) + std::log(static_cast<double>(sum));
}

}  // namespace DRAGOMAN_NAMESPACE
