#include "kernels/gemm.h"

#include <algorithm>
#include <vector>

#include "kernels/gemm_tile.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

// Blocks: a panel of kDepth rows lies in the L1 cache while kRowBlock rows of a, which lie in the L2 cache together
// with kColBlock columns of b, pass by. Sums longer than kDepth go on in c.
constexpr Index kDepth = 256;
constexpr Index kRowBlock = 8 * 12;
constexpr Index kColBlock = 256;
constexpr Index kFewSums = 64;
constexpr Index kSums = 512;  // rows of a and b at a time in a gradient of weights
static_assert(kRowBlock % kTileRows == 0 && kColBlock % kTileCols == 0);

/// What a sum begins with: rows of c, or one row for all of them.
struct Start {
  const Real* data = nullptr;
  Index ld = 0;
  [[nodiscard]] Start at(Index row, Index col) const { return {data + row * ld + col, ld}; }
};

/// The left side, as tiles read it: rows as they lie, columns of a transposed matrix as they lie, or slivers
/// (kTileRows columns of it together, `depth` numbers long).
struct Left {
  enum class Kind { rows, columns, slivers };
  const Real* data = nullptr;
  Index rows = 0, ld = 0;
  Kind kind = Kind::rows;
  Index depth = 0;

  [[nodiscard]] const Real* from(Index row) const {
    return data + row * (kind == Kind::rows ? ld : kind == Kind::slivers ? depth : 1);
  }
};

/// Memory that grows to the largest request of a thread and stays.
Real* buffer(Index numbers) {
  thread_local std::vector<Real> memory;
  if (static_cast<Index>(memory.size()) < numbers) memory.resize(static_cast<std::size_t>(numbers));
  return memory.data();
}

const Real* zero_row() {
  static const Real zeros[kTileCols] = {};
  return zeros;
}

/// All rows of c (at most kTileCols columns) against one panel; a narrow c goes through a tile of full width.
void panel_product(const Left& a, const Real* panel, Index ldb, Index k, Start start, Mat c) {
  const auto& tiles = a.kind == Left::Kind::rows ? kRowTiles : kTransposedTiles;
  for (Index i = 0; i < a.rows; i += kTileRows) {
    const Index rows = std::min<Index>(kTileRows, a.rows - i);
    const GemmTile tile = tiles[static_cast<std::size_t>(rows - 1)];
    const Start from = start.at(i, 0);
    if (c.cols == kTileCols) {
      tile(a.from(i), a.ld, panel, ldb, k, from.data, from.ld, c.row(i), c.ld);
      continue;
    }
    Real wide[kTileRows * kTileCols] = {};
    for (Index r = 0; r < rows; ++r) std::copy_n(from.data + r * from.ld, c.cols, wide + r * kTileCols);
    tile(a.from(i), a.ld, panel, ldb, k, wide, kTileCols, wide, kTileCols);
    for (Index r = 0; r < rows; ++r) std::copy_n(wide + r * kTileCols, c.cols, c.row(i + r));
  }
}

/// c = start + a b, for k rows of b from row `begin` of its panels on; `start.data` null: zeros.
void block_product(const Left& a, const PackedMat& b, Index begin, Index k, Start start, Mat c) {
  for (Index j0 = 0; j0 < c.cols; j0 += kColBlock) {
    const Index j_end = std::min(j0 + kColBlock, c.cols);
    for (Index i0 = 0; i0 < a.rows; i0 += kRowBlock) {
      Left rows = a;
      rows.data = a.from(i0);
      rows.rows = std::min(kRowBlock, a.rows - i0);
      for (Index j = j0; j < j_end; j += kTileCols) {
        const Index width = std::min<Index>(kTileCols, j_end - j);
        const Real* panel = b.data + j / kTileCols * b.stride + begin * kTileCols;
        const Start from = start.data == nullptr ? Start{zero_row(), 0} : start.at(i0, j);
        panel_product(rows, panel, kTileCols, k, from, c.row_range(i0, rows.rows).col_range(j, width));
      }
    }
  }
}

void product(ConstMat a, const PackedMat& b, Start start, Mat c) {
  for (Index begin = 0; begin < a.cols || begin == 0; begin += kDepth) {
    const Index depth = std::min(kDepth, a.cols - begin);
    block_product({a.data + begin, a.rows, a.ld}, b, begin, depth, begin == 0 ? start : Start{c.data, c.ld}, c);
  }
}

Start start_of(Mat c, bool accumulate) { return accumulate ? Start{c.data, c.ld} : Start{}; }

/// Packs kColBlock columns of b (or of its transpose) at a time.
template <bool kTransposed>
void product_packing(ConstMat a, ConstMat b, Start start, Mat c) {
  for (Index begin = 0; begin < a.cols || begin == 0; begin += kDepth) {
    const Index depth = std::min(kDepth, a.cols - begin);
    const Start from = begin == 0 ? start : Start{c.data, c.ld};
    for (Index j = 0; j < c.cols; j += kColBlock) {
      const Index width = std::min(kColBlock, c.cols - j);
      Real* memory = buffer(packed_size(depth, width));
      const PackedMat packed =
          kTransposed ? pack_transposed({b.row(j) + begin, std::min(width, b.rows - j), depth, b.ld}, memory)
                      : pack({b.row(begin) + j, depth, width, b.ld}, memory);
      block_product({a.data + begin, a.rows, a.ld}, packed, 0, depth, from.data == nullptr ? from : from.at(0, j),
                    c.col_range(j, width));
    }
  }
}

void product(ConstMat a, ConstMat b, Start start, Mat c) {
  // Few rows don't pay for packing: the tile then reads b where it lies. The sums are the same.
  const Index whole = a.rows > 4 * kTileRows ? 0 : c.cols / kTileCols * kTileCols;
  for (Index j = 0; j < whole; j += kTileCols) {
    const Start from = start.data == nullptr ? Start{zero_row(), 0} : start.at(0, j);
    panel_product({a.data, a.rows, a.ld}, b.data + j, b.ld, a.cols, from, c.col_range(j, kTileCols));
  }
  if (whole == c.cols) return;
  product_packing<false>(a, b.col_range(whole, b.cols - whole), start.data == nullptr ? start : start.at(0, whole),
                         c.col_range(whole, c.cols - whole));
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
      panel_product({a.data, a.cols, a.ld, Left::Kind::columns}, b.data + j, b.ld, a.rows, {to.data, to.ld}, to);
    }
    return;
  }
  for (Index begin = 0; begin < a.rows; begin += kSums) {
    const Index depth = std::min(kSums, a.rows - begin);
    Real* slivers = buffer(kRowBlock * depth + packed_size(depth, b.cols));
    const PackedMat packed = pack(b.row_range(begin, depth), slivers + kRowBlock * depth);
    for (Index i = 0; i < a.cols; i += kRowBlock) {
      const Index rows = std::min(kRowBlock, a.cols - i);
      pack_slivers(a.row_range(begin, depth).col_range(i, rows), slivers);
      const Mat to = c.row_range(i, rows);
      block_product({slivers, rows, kTileRows, Left::Kind::slivers, depth}, packed, 0, depth, {to.data, to.ld}, to);
    }
  }
}

}  // namespace DRAGOMAN_NAMESPACE
