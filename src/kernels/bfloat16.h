// bfloat16: a float32 without its lower 16 bits, rounded to nearest, ties to even; 8 bits of significand, the range of
// float32. Two of them, for k and k + 1, make a Pair, which is what the CPU's instruction multiplies.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "kernels/vector.h"

namespace DRAGOMAN_NAMESPACE {

/// The number of an even k in the lower half, that of the odd k after it in the upper half.
using Pair = std::uint32_t;

/// x rounded, as the float32 with the same bits and zeros below.
inline std::uint32_t round_bits(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = bits + 0x7FFF + (bits >> 16 & 1);
  return (x == x ? rounded : 0x7FC00000U) & 0xFFFF0000U;
}
inline float round_to_bfloat16(float x) { return std::bit_cast<float>(round_bits(x)); }

using FloatVector = float __attribute__((vector_size(kLanes * 4)));
using PairVector = Pair __attribute__((vector_size(kLanes * 4)));

/// round_bits of kLanes numbers.
inline PairVector round_bits(const Real* p) {
  const auto x = __builtin_convertvector(load(p), FloatVector);
  const auto bits = reinterpret_cast<PairVector>(x);
  const PairVector rounded = bits + 0x7FFF + (bits >> 16 & 1);
  return (x == x ? rounded : PairVector{} + 0x7FC00000U) & 0xFFFF0000U;
}

/// Pairs of kLanes columns, from two rows.
inline PairVector pair_rows(const Real* even, const Real* odd) { return round_bits(even) >> 16 | round_bits(odd); }
inline Pair pair_of(Real even, Real odd) {
  return round_bits(static_cast<float>(even)) >> 16 | round_bits(static_cast<float>(odd));
}

}  // namespace DRAGOMAN_NAMESPACE
