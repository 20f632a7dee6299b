#include "kernels/rows.h"

#include "core/view.h"
#include "kernels/vector_math.h"

namespace DRAGOMAN_NAMESPACE {

void fill(Mat m, Real value) { view(m).setConstant(value); }

void copy(ConstMat from, Mat to) { view(to) = view(from); }

void multiply(Mat m, Real factor) {
  if (factor != 1) view(m) *= factor;
}

void add(ConstMat from, Mat to) { view(to) += view(from); }

void fill_rows(ConstMat bias, Mat m) { view(m).rowwise() = view(bias).row(0); }

void add_rows(ConstMat bias, Mat m) { view(m).rowwise() += view(bias).row(0); }

void add_column_sums(ConstMat m, Mat bias) {  // in order: Eigen's sums would depend on the number of rows
  for (Index i = 0; i < m.rows; ++i) add_scaled(1, m.row(i), bias.data, m.cols);
}

void gather(ConstMat from, std::span<const Index> index, Mat to) {
  for (Index i = 0; i < to.rows; ++i) view(to).row(i) = view(from).row(index[i]);
}

void scatter(ConstMat from, std::span<const Index> index, Mat to) {
  for (Index i = 0; i < from.rows; ++i) view(to).row(index[i]) = view(from).row(i);
}

void scatter_add(ConstMat from, std::span<const Index> index, Mat to) {
  for (Index i = 0; i < from.rows; ++i) view(to).row(index[i]) += view(from).row(i);
}

void tanh_rows(Mat x) {
  for (Index i = 0; i < x.rows; ++i) {
    Real* row = x.row(i);
#pragma omp simd
    for (Index j = 0; j < x.cols; ++j) row[j] = tanh_of(row[j]);
  }
}

void tanh_backward(ConstMat y, ConstMat dy, Mat dx) {
  for (Index i = 0; i < y.rows; ++i) {
    const Real* out = y.row(i);
    const Real* dout = dy.row(i);
    Real* din = dx.row(i);
#pragma omp simd
    for (Index j = 0; j < y.cols; ++j) din[j] = dout[j] * (1 - out[j] * out[j]);
  }
}

}  // namespace DRAGOMAN_NAMESPACE
