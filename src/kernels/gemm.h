// Matrix products: the one seam through which every product goes.
//
// A register tile (gemm_tile.h) runs over packed panels (packed.h), in blocks that stay in the caches. Every element
// of c is one chain of fused multiply-adds over k, in order. So a row of c depends, to the bit, on nothing but that
// row of a and on b: neither on the number of rows nor on its place among them, nor on whether b was packed before.
// Decoding relies on it (a translation never depends on its batch). The library products don't promise that: oneDNN's
// AVX2 kernels round the last rows (mod 6) differently, Eigen's likewise (docs/design.md).
//
// Kernels check nothing. c must not overlap a or b. All are single-threaded.
#pragma once

#include <cstddef>

#include "core/mat.h"
#include "kernels/packed.h"

namespace DRAGOMAN_NAMESPACE {

/// c [m, n] = a [m, k] b [k, n], or += when accumulate is set.
void gemm(ConstMat a, ConstMat b, Mat c, bool accumulate = false);
/// c = a b + bias [1, n] in each row.
void gemm_bias(ConstMat a, ConstMat b, ConstMat bias, Mat c);

/// The same with b packed before: worth it when b takes part in several products.
void gemm(ConstMat a, const PackedMat& b, Mat c, bool accumulate = false);
void gemm_bias(ConstMat a, const PackedMat& b, ConstMat bias, Mat c);

/// c [m, n] = a [m, k] b^T with b [n, k], or +=. c may have more columns than b rows, up to padded_cols(n): they are
/// taken as products with zero.
void gemm_nt(ConstMat a, ConstMat b, Mat c, bool accumulate = false);

/// c [k, n] += a^T b with a [m, k], b [m, n]: the gradient of a weight matrix, or a product with a transposed left side.
void gemm_tn(ConstMat a, ConstMat b, Mat c);

/// Bytes that the calling thread keeps for its largest product so far, in either precision.
std::size_t product_bytes();

}  // namespace DRAGOMAN_NAMESPACE
