// Layer normalization of rows.
#pragma once

#include "core/mat.h"

namespace DRAGOMAN_NAMESPACE {

inline constexpr double kLayerNormEpsilon = 1e-5;

/// For each row x: n = (x - mean(x)) r, r = 1 / sqrt(variance(x) + 1e-5) with the biased variance; y = gain n + bias.
/// normalized gets n and inverse_deviation (one number a row) r, for backward; normalized may be x.
void layer_norm(ConstMat x, const Real* gain, const Real* bias, Mat normalized, Real* inverse_deviation, Mat y);

/// With g = gain dy:  dx = r (g - mean(g) - n mean(g n));  dgain += sum of dy n;  dbias += sum of dy. dx may be dy.
void layer_norm_backward(ConstMat normalized, const Real* inverse_deviation, const Real* gain, ConstMat dy, Mat dx,
                         Real* dgain, Real* dbias);

}  // namespace DRAGOMAN_NAMESPACE
