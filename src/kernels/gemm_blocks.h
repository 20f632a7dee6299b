// The blocks of a matrix product, for elements of one number (gemm.cpp) or of two (gemm_bf16.cpp): k counts elements.
// Internal to the products.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/mat.h"
#include "kernels/gemm_tile.h"
#include "kernels/packed.h"

namespace DRAGOMAN_NAMESPACE {

// A panel of kDepth rows lies in the L1 cache while kRowBlock rows of a, which lie in the L2 cache together with
// kColBlock columns of b, pass by. Sums longer than kDepth go on in c.
inline constexpr Index kDepth = 256;
inline constexpr Index kRowBlock = 8 * 12;
inline constexpr Index kColBlock = 256;
inline constexpr Index kSums = 512;  ///< rows of a and b at a time in a gradient of weights
static_assert(kRowBlock % kTileRows == 0 && kColBlock % kTileCols == 0);

/// What a sum begins with: rows of c, or one row for all of them; null: zeros.
struct Start {
  const Real* data = nullptr;
  Index ld = 0;
  [[nodiscard]] Start at(Index row, Index col) const {
    return data == nullptr ? *this : Start{data + row * ld + col, ld};
  }
};

inline Start start_of(Mat c, bool accumulate) { return accumulate ? Start{c.data, c.ld} : Start{}; }

/// The left side, as tiles read it: rows as they lie, columns of a transposed matrix as they lie, or slivers
/// (kTileRows columns of it together, `depth` elements long).
template <class Element>
struct Left {
  enum class Kind { rows, columns, slivers };
  const Element* data = nullptr;
  Index rows = 0, ld = 0;
  Kind kind = Kind::rows;
  Index depth = 0;

  [[nodiscard]] const Element* from(Index row) const {
    return data + row * (kind == Kind::rows ? ld : kind == Kind::slivers ? depth : 1);
  }
};

/// Memory of a thread that grows to its largest request and stays.
template <class Element>
std::vector<Element>& product_memory() {
  thread_local std::vector<Element> memory;
  return memory;
}

template <class Element>
Element* product_buffer(Index elements) {
  std::vector<Element>& memory = product_memory<Element>();
  if (static_cast<Index>(memory.size()) < elements) memory.resize(static_cast<std::size_t>(elements));
  return memory.data();
}

template <class Element, bool kTransposed, int... R>
constexpr auto gemm_tiles(std::integer_sequence<int, R...> /*rows - 1*/) {
  return std::array{GemmTile<Element>::template kFunction<R + 1, kTransposed>...};
}
/// Tiles of 1 .. kTileRows rows.
template <class Element, bool kTransposed>
inline constexpr auto kTiles = gemm_tiles<Element, kTransposed>(std::make_integer_sequence<int, kTileRows>{});

/// All rows of c (at most kTileCols columns) against one panel; a narrow c goes through a tile of full width.
template <class Element>
void panel_product(const Left<Element>& a, const Element* panel, Index ldb, Index k, Start start, Mat c) {
  static constexpr Real kZeros[kTileCols] = {};
  if (start.data == nullptr) start = {kZeros, 0};
  const auto& tiles = a.kind == Left<Element>::Kind::rows ? kTiles<Element, false> : kTiles<Element, true>;
  for (Index i = 0; i < a.rows; i += kTileRows) {
    const Index rows = std::min<Index>(kTileRows, a.rows - i);
    const auto tile = tiles[static_cast<std::size_t>(rows - 1)];
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

/// c = start + a b, for k rows of b from row `begin` of its panels on.
template <class Element>
void block_product(const Left<Element>& a, const Packed<Element>& b, Index begin, Index k, Start start, Mat c) {
  for (Index j0 = 0; j0 < c.cols; j0 += kColBlock) {
    const Index j_end = std::min(j0 + kColBlock, c.cols);
    for (Index i0 = 0; i0 < a.rows; i0 += kRowBlock) {
      Left<Element> rows = a;
      rows.data = a.from(i0);
      rows.rows = std::min(kRowBlock, a.rows - i0);
      for (Index j = j0; j < j_end; j += kTileCols) {
        const Index width = std::min<Index>(kTileCols, j_end - j);
        const Element* panel = b.data + j / kTileCols * b.stride + begin * kTileCols;
        panel_product(rows, panel, kTileCols, k, start.at(i0, j), c.row_range(i0, rows.rows).col_range(j, width));
      }
    }
  }
}

}  // namespace DRAGOMAN_NAMESPACE
