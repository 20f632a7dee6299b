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

/// All rows of c against one full panel.
void panel_product(ConstMat a, const Real* panel, Index ldb, Index k, Real* c, Index ldc, bool accumulate) {
  for (Index i = 0; i < a.rows; i += kRows) {
    const Index rows = std::min<Index>(kRows, a.rows - i);
    kTiles[rows - 1](a.row(i), a.ld, panel, ldb, k, c + i * ldc, ldc, accumulate);
  }
}

/// The last, narrow panel: through a buffer of full width.
void narrow_product(ConstMat a, const Real* panel, Index k, Mat c, bool accumulate) {
  Real buffer[kRows * kCols];
  for (Index i = 0; i < a.rows; i += kRows) {
    const Index rows = std::min<Index>(kRows, a.rows - i);
    if (accumulate) {
      for (Index r = 0; r < rows; ++r) std::copy_n(c.row(i + r), c.cols, buffer + r * kCols);
    }
    kTiles[rows - 1](a.row(i), a.ld, panel, kCols, k, buffer, kCols, accumulate);
    for (Index r = 0; r < rows; ++r) std::copy_n(buffer + r * kCols, c.cols, c.row(i + r));
  }
}

Real* panel_buffer(Index k) {
  thread_local std::vector<Real> buffer;
  if (static_cast<Index>(buffer.size()) < k * kCols) buffer.resize(static_cast<std::size_t>(k * kCols));
  return buffer.data();
}

}  // namespace

void gemm(ConstMat a, ConstMat b, Mat c, bool accumulate) {
  const Index k = a.cols;
  Real* panel = panel_buffer(k);
  // Few rows don't pay for packing: the tile then reads b where it lies. The sums are the same.
  const bool pack = a.rows > 4 * kRows;
  for (Index j = 0; j < c.cols; j += kCols) {
    const Index width = std::min<Index>(kCols, c.cols - j);
    if (width == kCols && !pack) {
      panel_product(a, b.data + j, b.ld, k, c.data + j, c.ld, accumulate);
      continue;
    }
    if (width < kCols) std::fill_n(panel, k * kCols, Real(0));
    for (Index p = 0; p < k; ++p) std::copy_n(b.row(p) + j, width, panel + p * kCols);
    if (width == kCols) {
      panel_product(a, panel, kCols, k, c.data + j, c.ld, accumulate);
    } else {
      narrow_product(a, panel, k, c.col_range(j, width), accumulate);
    }
  }
}

void gemm_nt(ConstMat a, ConstMat b, Mat c, bool accumulate) {
  const Index k = a.cols;
  Real* panel = panel_buffer(k);
  for (Index j = 0; j < c.cols; j += kCols) {
    const Index width = std::min<Index>(kCols, c.cols - j);
    if (width < kCols) std::fill_n(panel, k * kCols, Real(0));
    for (Index q = 0; q < width; ++q) {
      const Real* from = b.row(j + q);
      for (Index p = 0; p < k; ++p) panel[p * kCols + q] = from[p];
    }
    if (width == kCols) {
      panel_product(a, panel, kCols, k, c.data + j, c.ld, accumulate);
    } else {
      narrow_product(a, panel, k, c.col_range(j, width), accumulate);
    }
  }
}

}  // namespace DRAGOMAN_NAMESPACE
