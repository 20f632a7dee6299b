// The register tile of gemm_tile.h over pairs of bfloat16 numbers: in each sum first the product of the odd k, then
// that of the even one, as the instruction does it.
#pragma once

#include "kernels/bfloat16.h"
#include "kernels/gemm_tile.h"

#if defined(__AVX512BF16__) && !defined(DRAGOMAN_DOUBLE)
#define DRAGOMAN_BF16_PRODUCTS
#include <immintrin.h>
#endif

namespace DRAGOMAN_NAMESPACE {

inline PairVector load_pairs(const Pair* p) {
  PairVector v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

/// The numbers of the odd k, and of the even k, as Real.
inline Vector odd_of(PairVector v) {
  return __builtin_convertvector(reinterpret_cast<FloatVector>(v & 0xFFFF0000U), Vector);
}
inline Vector even_of(PairVector v) { return __builtin_convertvector(reinterpret_cast<FloatVector>(v << 16), Vector); }

/// c [R, kTileCols] = start + a b over k pairs; a(i, p) at a[i * step + p], or transposed at a[i + p * step].
template <int R, bool kTransposed>
void bf16_tile(const Pair* a, Index step, const Pair* b, Index ldb, Index k, const Real* start, Index start_ld, Real* c,
               Index ldc) {
  Vector sum[R][2];
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
    sum[i][0] = load(start + i * start_ld);
    sum[i][1] = load(start + i * start_ld + kLanes);
  }
#pragma GCC unroll 2
  for (Index p = 0; p < k; ++p) {
    const PairVector b0 = load_pairs(b + p * ldb);
    const PairVector b1 = load_pairs(b + p * ldb + kLanes);
    const auto x = [&](int i) { return PairVector{} + (kTransposed ? a[p * step + i] : a[i * step + p]); };
#ifdef DRAGOMAN_BF16_PRODUCTS
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      const auto factor = (__m512bh)x(i);
      sum[i][0] = (Vector)_mm512_dpbf16_ps((__m512)sum[i][0], factor, (__m512bh)b0);
      sum[i][1] = (Vector)_mm512_dpbf16_ps((__m512)sum[i][1], factor, (__m512bh)b1);
    }
#else
    const auto add = [&](Vector (*half)(PairVector)) {
      const Vector y0 = half(b0), y1 = half(b1);
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) {
        const Vector factor = half(x(i));
        sum[i][0] += factor * y0;
        sum[i][1] += factor * y1;
      }
    };
    add(odd_of);
    add(even_of);
#endif
  }
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
    store(c + i * ldc, sum[i][0]);
    store(c + i * ldc + kLanes, sum[i][1]);
  }
}

template <>
struct GemmTile<Pair> {
  template <int R, bool kTransposed>
  static constexpr auto kFunction = &bf16_tile<R, kTransposed>;
};

}  // namespace DRAGOMAN_NAMESPACE
