// Products whose factors are rounded to bfloat16 and whose sums are Real: half the memory traffic, and on a CPU with
// AVX-512 BF16 (vdpbf16ps) twice the multiply-adds an instruction. Elsewhere the same products are made with
// multiply-adds of float32 in the same order, about 0.6 times as fast as gemm.h; the results are those of the instruction
// but for numbers below 1e-38, which that takes as zero.
//
// As in gemm.h a row of c depends on nothing but that row of a and on b. The left side is rounded on the way into a
// buffer, a block of rows at a time; the right side when it is packed.
#pragma once

#include "core/mat.h"
#include "kernels/bfloat16.h"
#include "kernels/packed.h"

namespace DRAGOMAN_NAMESPACE {

/// Does this build multiply bfloat16 with the CPU's own instruction?
bool has_bf16_products();

/// b [k, n] in pairs of rows; `rows` counts pairs, an odd k is filled up with zeros.
using PackedPairs = Packed<Pair>;

/// Pairs that the packed form of k x n takes.
Index packed_pairs_size(Index k, Index n);
/// Packs b; `to` has room for packed_pairs_size(b.rows, b.cols).
PackedPairs pack_pairs(ConstMat b, Pair* to);
/// Packs b^T; `to` has room for packed_pairs_size(b.cols, b.rows).
PackedPairs pack_pairs_transposed(ConstMat b, Pair* to);

/// c [m, n] = a [m, k] b [k, n], or +=.
void gemm_bf16(ConstMat a, const PackedPairs& b, Mat c, bool accumulate = false);
/// c = a b + bias [1, n] in each row.
void gemm_bias_bf16(ConstMat a, const PackedPairs& b, ConstMat bias, Mat c);
/// c [k, n] += a^T b with a [m, k], b [m, n].
void gemm_tn_bf16(ConstMat a, ConstMat b, Mat c);

}  // namespace DRAGOMAN_NAMESPACE
