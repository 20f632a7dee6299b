// What the machine can do at most: independent fused multiply-adds that stay in registers.
#pragma once

#include "core/real.h"

namespace DRAGOMAN_NAMESPACE {

struct FmaPeak {
  double gflops = 0;  ///< of all threads together; the best of several short runs
  int vector_bits = 0;
};

/// Takes about 0.2 s on all threads.
FmaPeak measure_fma_peak();

}  // namespace DRAGOMAN_NAMESPACE
