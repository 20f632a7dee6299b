// The widest vector of Real that the build's instruction set has.
#pragma once

#include "core/real.h"

namespace DRAGOMAN_NAMESPACE {

#ifdef __AVX512F__
inline constexpr int kVectorBytes = 64;
#else
inline constexpr int kVectorBytes = 32;
#endif
inline constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(Real));

using Vector = Real __attribute__((vector_size(kVectorBytes)));

inline Vector load(const Real* p) {
  using Unaligned __attribute__((vector_size(kVectorBytes), aligned(sizeof(Real)), may_alias)) = Real;
  return *reinterpret_cast<const Unaligned*>(p);
}
inline void store(Real* p, Vector v) {
  using Unaligned __attribute__((vector_size(kVectorBytes), aligned(sizeof(Real)), may_alias)) = Real;
  *reinterpret_cast<Unaligned*>(p) = v;
}

}  // namespace DRAGOMAN_NAMESPACE
