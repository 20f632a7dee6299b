// Softmax of one row, and its backward.
#pragma once

#include "core/mat.h"

namespace DRAGOMAN_NAMESPACE {

/// x_j = exp(x_j - max) / sum; n >= 1.
void softmax(Real* x, Index n);

/// Gradient through p = softmax(x): dx_j = p_j (dp_j - sum_i dp_i p_i); dx may be dp.
void softmax_backward(const Real* p, const Real* dp, Real* dx, Index n);

/// The same for each column of x: the first seen[i] numbers of column i become their softmax, the others zero. `scratch`
/// has room for 2 x cols numbers. Lanes are columns, so that short ones need no sums across lanes.
void softmax_columns(Mat x, const Real* seen, Real* scratch);

/// Backward of each column: dx may be dp; `scratch` has room for cols numbers.
void softmax_columns_backward(ConstMat p, ConstMat dp, Mat dx, Real* scratch);

/// log sum_j exp(x_j), so that log softmax(x)_j = x_j - log_normalizer(x).
double log_normalizer(const Real* x, Index n);

}  // namespace DRAGOMAN_NAMESPACE
