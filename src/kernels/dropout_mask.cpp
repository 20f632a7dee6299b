#include "kernels/dropout_mask.h"

namespace DRAGOMAN_NAMESPACE {

namespace {

/// Murmur3's 32-bit finaliser over a Weyl sequence, keyed at both ends: multiplies that AVX2 has.
inline std::uint32_t bits(Index j, std::uint32_t low, std::uint32_t high) {
  std::uint32_t h = static_cast<std::uint32_t>(j) * 0x9e3779b9U + low;
  h ^= h >> 16;
  h *= 0x85ebca6bU;
  h ^= (h >> 13) ^ high;
  h *= 0xc2b2ae35U;
  h ^= h >> 16;
  return h;
}

}  // namespace

void mask_row(Real* x, Index n, std::uint64_t key, std::uint32_t threshold, Real keep_scale) {
  const auto low = static_cast<std::uint32_t>(key);
  const auto high = static_cast<std::uint32_t>(key >> 32);
#pragma omp simd
  for (Index j = 0; j < n; ++j) x[j] = bits(j, low, high) >= threshold ? x[j] * keep_scale : Real(0);
}

void mask_column(Real* x, Index n, Index j, const std::uint32_t* low, const std::uint32_t* high,
                 std::uint32_t threshold, Real keep_scale) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) x[i] = bits(j, low[i], high[i]) >= threshold ? x[i] * keep_scale : Real(0);
}

}  // namespace DRAGOMAN_NAMESPACE
