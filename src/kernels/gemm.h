// Matrix products: the one seam through which every large product goes.
//
// gemm and gemm_nt are ours (gemm.cpp): a register tile over packed panels in which every element of c is one
// chain of fused multiply-adds over k, in order. So a row of c depends, to the bit, on nothing but that row of a
// and on b: neither on the number of rows nor on its place among them. Decoding relies on it (a translation
// never depends on its batch). The library products don't promise that: oneDNN's AVX2 kernels round the last
// rows (mod 6) differently, Eigen's likewise (docs/design.md).
//
// gemm_tn, used for weight gradients only, sums over rows; it comes from a library chosen at link time.
//
// Kernels check nothing. c must not overlap a or b. All are single-threaded inside parallel_for.
#pragma once

#include "core/mat.h"

namespace DRAGOMAN_NAMESPACE {

/// c [m, n] = a [m, k] b [k, n], or += when accumulate is set.
void gemm(ConstMat a, ConstMat b, Mat c, bool accumulate = false);

/// c [m, n] = a [m, k] b^T with b [n, k], or +=.
void gemm_nt(ConstMat a, ConstMat b, Mat c, bool accumulate = false);

/// c [k, n] += a^T b with a [m, k], b [m, n]: the gradient of a weight matrix.
void gemm_tn(ConstMat a, ConstMat b, Mat c);

/// The library behind gemm_tn, for the line the program prints at start.
const char* gemm_backend();

}  // namespace DRAGOMAN_NAMESPACE
