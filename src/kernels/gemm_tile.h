// The register tile under all matrix products: kTileRows x kTileCols sums that never leave the registers while the
// loop over k runs. Every element is one chain of fused multiply-adds over k in order, whatever the tile's rows.
#pragma once

#include "core/mat.h"
#include "kernels/vector.h"

namespace DRAGOMAN_NAMESPACE {

#ifdef __AVX512F__
inline constexpr int kTileRows = 12;  // 24 of 32 registers hold sums
#else
inline constexpr int kTileRows = 6;  // 12 of 16
#endif
inline constexpr int kTileCols = 2 * kLanes;

/// c [R, kTileCols] = start + a [R, k] b [k, kTileCols].
/// a(i, p) lies at a[i * step + p], or transposed at a[i + p * step]; row p of b at b + p * ldb. `start` is c itself, or
/// one row for all rows of c (start_ld = 0): a bias, or zeros.
template <int R, bool kTransposed>
void gemm_tile(const Real* a, Index step, const Real* b, Index ldb, Index k, const Real* start, Index start_ld, Real* c,
               Index ldc) {
  Vector sum[R][2];
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
    __builtin_prefetch(c + (i + R) * ldc);  // the next tile's
    sum[i][0] = load(start + i * start_ld);
    sum[i][1] = load(start + i * start_ld + kLanes);
  }
#pragma GCC unroll 4
  for (Index p = 0; p < k; ++p) {
    const Vector b0 = load(b + p * ldb);
    const Vector b1 = load(b + p * ldb + kLanes);
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      const Real x = kTransposed ? a[p * step + i] : a[i * step + p];
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

/// The tile for a kind of element.
template <class Element>
struct GemmTile;

template <>
struct GemmTile<Real> {
  template <int R, bool kTransposed>
  static constexpr auto kFunction = &gemm_tile<R, kTransposed>;
};

}  // namespace DRAGOMAN_NAMESPACE
