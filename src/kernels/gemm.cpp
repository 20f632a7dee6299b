#include "kernels/gemm.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace DRAGOMAN_NAMESPACE {
namespace {

// The tile: kRows x kCols accumulators of a vector each fill the register file without spilling.
#ifdef __AVX512F__
constexpr int kVectorBytes = 64;
constexpr int kRows = 12;
#else
constexpr int kVectorBytes = 32;
constexpr int kRows = 6;
#endif
constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(Real));
constexpr int kCols = 2 * kLanes;
constexpr Index kDepth = 512;  // of a panel, so that it stays in the L1 or L2 cache; longer sums continue in c
using Vector = Real __attribute__((vector_size(kVectorBytes)));
using Unaligned = Real __attribute__((vector_size(kVectorBytes), aligned(sizeof(Real)), may_alias));

Vector load(const Real* p) { return *reinterpret_cast<const Unaligned*>(p); }
void store(Real* p, Vector v) { *reinterpret_cast<Unaligned*>(p) = v; }

/// c [R, kCols] = (c +) a [R, k] panel, with panel [k, kCols] at stride ldb.
template <int R>
void tile(const Real* a, Index lda, const Real* panel, Index ldb, Index k, Real* c, Index ldc, bool accumulate) {
  Vector sum[R][2];
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
    sum[i][0] = accumulate ? load(c + i * ldc) : Vector{};
    sum[i][1] = accumulate ? load(c + i * ldc + kLanes) : Vector{};
  }
  for (Index p = 0; p < k; ++p) {
    const Vector b0 = load(panel + p * ldb);
    const Vector b1 = load(panel + p * ldb + kLanes);
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      const Real x = a[i * lda + p];
      sum[i][0] += x * b0;
      sum[i][1] += x * b1;
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
    store(c + i * ldc, sum[i][0]);
    store(c + i * ldc + kLanes, sum[i][1]);
  }
}

using Tile = void (*)(const Real*, Index, const Real*, Index, Index, Real*, Index, bool);

template <int... R>
constexpr auto tile_table(std::integer_sequence<int, R...>) {
  return std::array<Tile, sizeof...(R)>{&tile<R + 1>...};
}
constexpr auto kTiles = tile_table(std::make_integer_sequence<int, kRows>{});

/// All rows of c (at most kCols columns) against one panel; a narrow c goes through a buffer of full width.
void panel_product(ConstMat a, const Real* panel, Index ldb, Mat c, bool accumulate) {
  Real buffer[kRows * kCols];
  const bool narrow = c.cols < kCols;
  for (Index i = 0; i < a.rows; i += kRows) {
    const Index rows = std::min<Index>(kRows, a.rows - i);
    const Tile product = kTiles[static_cast<std::size_t>(rows - 1)];
    if (!narrow) {
      product(a.row(i), a.ld, panel, ldb, a.cols, c.row(i), c.ld, accumulate);
      continue;
    }
    std::fill_n(buffer, kRows * kCols, Real(0));
    if (accumulate) {
      for (Index r = 0; r < rows; ++r) std::copy_n(c.row(i + r), c.cols, buffer + r * kCols);
    }
    product(a.row(i), a.ld, panel, ldb, a.cols, buffer, kCols, accumulate);
    for (Index r = 0; r < rows; ++r) std::copy_n(buffer + r * kCols, c.cols, c.row(i + r));
  }
}

Real* panel_buffer() {
  thread_local std::vector<Real> buffer(static_cast<std::size_t>(kDepth * kCols));
  return buffer.data();
}

}  // namespace

void gemm(ConstMat a, ConstMat b, Mat c, bool accumulate) {
  // Few rows don't pay for packing: the tile then reads b where it lies. The sums are the same.
  const bool pack = a.rows > 4 * kRows;
  for (Index begin = 0; begin < a.cols || begin == 0; begin += kDepth) {
    const Index depth = std::min(kDepth, a.cols - begin);
    const ConstMat left = a.col_range(begin, depth);
    const bool add = accumulate || begin > 0;
    for (Index j = 0; j < c.cols; j += kCols) {
      const Index width = std::min<Index>(kCols, c.cols - j);
      const Real* from = b.row(begin) + j;
      if (width == kCols && !pack) {
        panel_product(left, from, b.ld, c.col_range(j, width), add);
        continue;
      }
      Real* panel = panel_buffer();
      if (width == kCols) {
        for (Index p = 0; p < depth; ++p) {
          store(panel + p * kCols, load(from + p * b.ld));
          store(panel + p * kCols + kLanes, load(from + p * b.ld + kLanes));
        }
      } else {
        std::fill_n(panel, depth * kCols, Real(0));
        for (Index p = 0; p < depth; ++p) std::copy_n(from + p * b.ld, width, panel + p * kCols);
      }
      panel_product(left, panel, kCols, c.col_range(j, width), add);
    }
  }
}

void gemm_nt(ConstMat a, ConstMat b, Mat c, bool accumulate) {
  Real* panel = panel_buffer();
  for (Index begin = 0; begin < a.cols || begin == 0; begin += kDepth) {
    const Index depth = std::min(kDepth, a.cols - begin);
    const ConstMat left = a.col_range(begin, depth);
    for (Index j = 0; j < c.cols; j += kCols) {
      const Index width = std::min<Index>(kCols, c.cols - j);
      if (width < kCols) std::fill_n(panel, depth * kCols, Real(0));
      for (Index q = 0; q < width; ++q) {
        const Real* from = b.row(j + q) + begin;
        for (Index p = 0; p < depth; ++p) panel[p * kCols + q] = from[p];
      }
      panel_product(left, panel, kCols, c.col_range(j, width), accumulate || begin > 0);
    }
  }
}

}  // namespace DRAGOMAN_NAMESPACE
