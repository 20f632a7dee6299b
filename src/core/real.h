// The scalar type of the numeric core.
//
// The same sources are built twice: with float for work and, when DRAGOMAN_DOUBLE is defined, with double
// for gradient checks. Everything whose layout depends on Real lives in an inline namespace named after
// the type, so that linking the two builds together by mistake fails instead of mixing them.
#pragma once

#include <cstdint>

#ifdef DRAGOMAN_DOUBLE
#define DRAGOMAN_NAMESPACE dragoman::inline f64
#else
#define DRAGOMAN_NAMESPACE dragoman::inline f32
#endif

namespace dragoman {

using Index = std::int64_t;  ///< rows, columns, offsets
using TokenId = std::int32_t;

/// Special tokens (there is no padding token: batches are packed).
inline constexpr TokenId kUnk = 0;
inline constexpr TokenId kBos = 1;
inline constexpr TokenId kEos = 2;

}  // namespace dragoman

namespace DRAGOMAN_NAMESPACE {

#ifdef DRAGOMAN_DOUBLE
using Real = double;
#else
using Real = float;
#endif

}  // namespace DRAGOMAN_NAMESPACE
