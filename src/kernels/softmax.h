// Softmax of one row, and its backward.
#pragma once

#include "core/mat.h"

namespace DRAGOMAN_NAMESPACE {

/// x_j = exp(x_j - max) / sum; n >= 1.
void softmax(Real* x, Index n);

/// Gradient through p = softmax(x): dx_j = p_j (dp_j - sum_i dp_i p_i); dx may be dp.
void softmax_backward(const Real* p, const Real* dp, Real* dx, Index n);

/// log sum_j exp(x_j), so that log softmax(x)_j = x_j - log_normalizer(x).
double log_normalizer(const Real* x, Index n);

}  // namespace DRAGOMAN_NAMESPACE
