// The mask of dropout for one row.
#pragma once

#include <cstdint>

#include "core/mat.h"

namespace DRAGOMAN_NAMESPACE {

/// x_j *= keep_scale where hash(key, j) >= threshold, else 0. threshold = p 2^32.
void mask_row(Real* x, Index n, std::uint64_t key, std::uint32_t threshold, Real keep_scale);

/// The same for number j of n rows at once: x[i] belongs to the row whose key has these halves.
void mask_column(Real* x, Index n, Index j, const std::uint32_t* low, const std::uint32_t* high,
                 std::uint32_t threshold, Real keep_scale);

}  // namespace DRAGOMAN_NAMESPACE
