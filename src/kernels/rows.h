// Row-wise helpers: copies, sums, gathers, transposes.
#pragma once

#include <span>

#include "core/mat.h"

namespace DRAGOMAN_NAMESPACE {

void fill(Mat m, Real value);
void copy(ConstMat from, Mat to);
/// m *= factor
void multiply(Mat m, Real factor);
/// to += from
void add(ConstMat from, Mat to);
/// Every row of m becomes (or gets added) the one row of `bias`.
void fill_rows(ConstMat bias, Mat m);
void add_rows(ConstMat bias, Mat m);
/// bias [1, n] += the sum of the rows of m: the gradient of a bias.
void add_column_sums(ConstMat m, Mat bias);
/// to row i = from row index[i]
void gather(ConstMat from, std::span<const Index> index, Mat to);
/// to row index[i] = from row i
void scatter(ConstMat from, std::span<const Index> index, Mat to);
/// to row index[i] += from row i
void scatter_add(ConstMat from, std::span<const Index> index, Mat to);

/// x = tanh(x)
void tanh_rows(Mat x);
/// dx = dy (1 - y^2), the gradient through y = tanh(x); dx may be dy.
void tanh_backward(ConstMat y, ConstMat dy, Mat dx);

}  // namespace DRAGOMAN_NAMESPACE
