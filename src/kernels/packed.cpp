#include "kernels/packed.h"

#include <algorithm>

#include "kernels/gemm_tile.h"

namespace DRAGOMAN_NAMESPACE {

Index padded_cols(Index cols) { return (cols + kTileCols - 1) / kTileCols * kTileCols; }

Index packed_size(Index rows, Index cols) { return padded_cols(cols) * rows; }

PackedMat pack(ConstMat b, Real* to) {
  Real* panel = to;
  for (Index j = 0; j < b.cols; j += kTileCols, panel += b.rows * kTileCols) {
    const Index width = std::min<Index>(kTileCols, b.cols - j);
    for (Index p = 0; p < b.rows; ++p) {
      const Real* from = b.row(p) + j;
      Real* row = panel + p * kTileCols;
      if (width == kTileCols) {
        store(row, load(from));
        store(row + kLanes, load(from + kLanes));
      } else {
        std::copy_n(from, width, row);
        std::fill(row + width, row + kTileCols, Real(0));
      }
    }
  }
  return {to, b.rows, b.cols, b.rows * kTileCols};
}

PackedMat pack_transposed(ConstMat b, Real* to) {
  constexpr Index kBlock = 16;  // columns of b at a time: whole cache lines of `from`
  Real* panel = to;
  for (Index j = 0; j < b.rows; j += kTileCols, panel += b.cols * kTileCols) {
    const Index width = std::min<Index>(kTileCols, b.rows - j);
    if (width < kTileCols) std::fill_n(panel, b.cols * kTileCols, Real(0));
    for (Index p0 = 0; p0 < b.cols; p0 += kBlock) {
      const Index end = std::min(p0 + kBlock, b.cols);
      for (Index q = 0; q < width; ++q) {
        const Real* from = b.row(j + q);
        for (Index p = p0; p < end; ++p) panel[p * kTileCols + q] = from[p];
      }
    }
  }
  return {to, b.cols, b.rows, b.cols * kTileCols};
}

}  // namespace DRAGOMAN_NAMESPACE
