#include "kernels/gemm.h"

#include <algorithm>

#include "kernels/bfloat16.h"
#include "kernels/gemm_blocks.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr Index kFewSums = 64;

void product(ConstMat a, const PackedMat& b, Start start, Mat c) {
  for (Index begin = 0; begin < a.cols || begin == 0; begin += kDepth) {
    const Index depth = std::min(kDepth, a.cols - begin);
    block_product(Left<Real>{a.data + begin, a.rows, a.ld}, b, begin, depth, begin == 0 ? start : Start{c.data, c.ld},
                  c);
  }
}

/// Packs kColBlock columns of b (or of its transpose) at a time.
template <bool kTransposed>
void product_packing(ConstMat a, ConstMat b, Start start, Mat c) {
  for (Index begin = 0; begin < a.cols || begin == 0; begin += kDepth) {
    const Index depth = std::min(kDepth, a.cols - begin);
    const Start from = begin == 0 ? start : Start{c.data, c.ld};
    for (Index j = 0; j < c.cols; j += kColBlock) {
      const Index width = std::min(kColBlock, c.cols - j);
      Real* memory = product_buffer<Real>(packed_size(depth, width));
      const PackedMat packed =
          kTransposed ? pack_transposed({b.row(j) + begin, std::min(width, b.rows - j), depth, b.ld}, memory)
                      : pack({b.row(begin) + j, depth, width, b.ld}, memory);
      block_product(Left<Real>{a.data + begin, a.rows, a.ld}, packed, 0, depth, from.at(0, j), c.col_range(j, width));
    }
  }
}

void product(ConstMat a, ConstMat b, Start start, Mat c) {
  // Few rows don't pay for packing: the tile then reads b where it lies. The sums are the same.
  const Index whole = a.rows > 4 * kTileRows ? 0 : c.cols / kTileCols * kTileCols;
  for (Index j = 0; j < whole; j += kTileCols) {
    panel_product(Left<Real>{a.data, a.rows, a.ld}, b.data + j, b.ld, a.cols, start.at(0, j),
                  c.col_range(j, kTileCols));
  }
  if (whole == c.cols) return;
  product_packing<false>(a, b.col_range(whole, b.cols - whole), start.at(0, whole), c.col_range(whole, c.cols - whole));
}

/// Columns of a (rows of its transpose) as slivers.
void pack_slivers(ConstMat a, Real* to) {
  for (Index i = 0; i < a.cols; i += kTileRows, to += a.rows * kTileRows) {
    const Index width = std::min<Index>(kTileRows, a.cols - i);
    if (width == kTileRows) {
      for (Index p = 0; p < a.rows; ++p) {
        const Real* from = a.row(p) + i;
        for (int r = 0; r < kTileRows; ++r) to[p * kTileRows + r] = from[r];
      }
    } else {
      for (Index p = 0; p < a.rows; ++p) std::copy_n(a.row(p) + i, width, to + p * kTileRows);
    }
  }
}

}  // namespace

void gemm(ConstMat a, ConstMat b, Mat c, bool accumulate) { product(a, b, start_of(c, accumulate), c); }

void gemm_bias(ConstMat a, ConstMat b, ConstMat bias, Mat c) { product(a, b, {bias.data, 0}, c); }

void gemm(ConstMat a, const PackedMat& b, Mat c, bool accumulate) { product(a, b, start_of(c, accumulate), c); }

void gemm_bias(ConstMat a, const PackedMat& b, ConstMat bias, Mat c) { product(a, b, {bias.data, 0}, c); }

void gemm_nt(ConstMat a, ConstMat b, Mat c, bool accumulate) {
  product_packing<true>(a, b, start_of(c, accumulate), c);
}

// dW: the rows of a and b are the long sums. b is packed whole; a passes by in slivers of kRowBlock of its columns.
void gemm_tn(ConstMat a, ConstMat b, Mat c) {
  if (a.rows <= kFewSums && c.cols % kTileCols == 0) {  // a piece of attention: packing would take longer
    for (Index j = 0; j < c.cols; j += kTileCols) {
      const Mat to = c.col_range(j, kTileCols);
      panel_product(Left<Real>{a.data, a.cols, a.ld, Left<Real>::Kind::columns}, b.data + j, b.ld, a.rows,
                    {to.data, to.ld}, to);
    }
    return;
  }
  for (Index begin = 0; begin < a.rows; begin += kSums) {
    const Index depth = std::min(kSums, a.rows - begin);
    Real* slivers = product_buffer<Real>(kRowBlock * depth + packed_size(depth, b.cols));
    const PackedMat packed = pack(b.row_range(begin, depth), slivers + kRowBlock * depth);
    for (Index i = 0; i < a.cols; i += kRowBlock) {
      const Index rows = std::min(kRowBlock, a.cols - i);
      pack_slivers(a.row_range(begin, depth).col_range(i, rows), slivers);
      const Mat to = c.row_range(i, rows);
      block_product(Left<Real>{slivers, rows, kTileRows, Left<Real>::Kind::slivers, depth}, packed, 0, depth,
                    {to.data, to.ld}, to);
    }
  }
}

std::size_t product_bytes() {
  return product_memory<Real>().size() * sizeof(Real) + product_memory<Pair>().size() * sizeof(Pair);
}

}  // namespace DRAGOMAN_NAMESPACE
