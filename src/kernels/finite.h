// Is everything finite? Asked for all parameters after each update, so it must cost next to nothing.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/real.h"

namespace DRAGOMAN_NAMESPACE {

/// True when none of x[0 .. n) is NaN or infinite: a number is neither unless all bits of its exponent are set.
/// (Integers, because compilers vectorize their disjunction; a sum of Reals would have to keep its order.)
inline bool all_finite(const Real* x, std::size_t n) {
  using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits kExponent = sizeof(Real) == 4 ? Bits{0x7F800000U} : static_cast<Bits>(0x7FF0000000000000ULL);
  Bits bad = 0;
  for (std::size_t i = 0; i < n; ++i) bad |= static_cast<Bits>((std::bit_cast<Bits>(x[i]) & kExponent) == kExponent);
  return bad == 0;
}

}  // namespace DRAGOMAN_NAMESPACE
