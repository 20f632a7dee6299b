#include "kernels/rows.h"

#include <algorithm>

#include "kernels/vector_math.h"

namespace DRAGOMAN_NAMESPACE {

void fill(Mat m, Real value) {
  for (Index i = 0; i < m.rows; ++i) std::fill_n(m.row(i), m.cols, value);
}

void copy(ConstMat from, Mat to) {
  for (Index i = 0; i < to.rows; ++i) std::copy_n(from.row(i), to.cols, to.row(i));
}

void multiply(Mat m, Real factor) {
  if (factor == 1) return;
  for (Index i = 0; i < m.rows; ++i) {
    Real* row = m.row(i);
    vector_loop(m.cols, [=](Index j) { row[j] *= factor; });
  }
}

void add(ConstMat from, Mat to) {
  for (Index i = 0; i < to.rows; ++i) add_scaled(1, from.row(i), to.row(i), to.cols);
}

void fill_rows(ConstMat bias, Mat m) {
  for (Index i = 0; i < m.rows; ++i) std::copy_n(bias.data, m.cols, m.row(i));
}

void add_rows(ConstMat bias, Mat m) {
  for (Index i = 0; i < m.rows; ++i) add_scaled(1, bias.data, m.row(i), m.cols);
}

void add_column_sums(ConstMat m, Mat bias) {
  for (Index i = 0; i < m.rows; ++i) add_scaled(1, m.row(i), bias.data, m.cols);
}

void gather(ConstMat from, std::span<const Index> index, Mat to) {
  for (Index i = 0; i < to.rows; ++i) std::copy_n(from.row(index[i]), to.cols, to.row(i));
}

void scatter(ConstMat from, std::span<const Index> index, Mat to) {
  for (Index i = 0; i < from.rows; ++i) std::copy_n(from.row(i), from.cols, to.row(index[i]));
}

void scatter_add(ConstMat from, std::span<const Index> index, Mat to) {
  for (Index i = 0; i < from.rows; ++i) add_scaled(1, from.row(i), to.row(index[i]), from.cols);
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
