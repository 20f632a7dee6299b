#include "kernels/layer_norm.h"

#include <cmath>

#include "kernels/vector_math.h"

namespace DRAGOMAN_NAMESPACE {

void layer_norm(ConstMat x, const Real* gain, const Real* bias, Mat normalized, Real* inverse_deviation, Mat y) {
  const auto count = static_cast<Real>(x.cols);
  for (Index i = 0; i < x.rows; ++i) {
    const Real* from = x.row(i);
    Real* n = normalized.row(i);
    Real* to = y.row(i);
    const Real mean = sum_of(x.cols, [=](Index j) { return from[j]; }) / count;
    const Real square = sum_of(x.cols, [=](Index j) { return (from[j] - mean) * (from[j] - mean); }) / count;
    const Real r = 1 / std::sqrt(square + static_cast<Real>(kLayerNormEpsilon));
    inverse_deviation[i] = r;
    vector_loop(x.cols, [=](Index j) {
      n[j] = (from[j] - mean) * r;
      to[j] = gain[j] * n[j] + bias[j];
    });
  }
}

void layer_norm_backward(ConstMat normalized, const Real* inverse_deviation, const Real* gain, ConstMat dy, Mat dx,
                         Real* dgain, Real* dbias) {
  const auto count = static_cast<Real>(dy.cols);
  for (Index i = 0; i < dy.rows; ++i) {
    const Real* n = normalized.row(i);
    const Real* d = dy.row(i);
    Real* to = dx.row(i);
    const Real r = inverse_deviation[i];
    const Real mean = sum_of(dy.cols, [=](Index j) { return gain[j] * d[j]; }) / count;
    const Real mean_n = sum_of(dy.cols, [=](Index j) { return gain[j] * d[j] * n[j]; }) / count;
    vector_loop(dy.cols, [=](Index j) {
      const Real dj = d[j];
      dgain[j] += dj * n[j];
      dbias[j] += dj;
      to[j] = r * (gain[j] * dj - mean - n[j] * mean_n);
    });
  }
}

}  // namespace DRAGOMAN_NAMESPACE
