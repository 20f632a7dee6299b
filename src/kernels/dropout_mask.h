// The mask of dropout for one row.
#pragma once

#include <cstdint>

#include "core/mat.h"

namespace DRAGOMAN_NAMESPACE {

/// x_j *= keep_scale where hash(key, j) >= threshold, else 0. threshold = p 2^32.
void mask_row(Real* x, Index n, std::uint64_t key, std::uint32_t threshold, Real keep_scale);

}  // namespace DRAGOMAN_NAMESPACE
