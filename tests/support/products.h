// Bounds for the tests of matrix products.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {

inline Numbers magnitudes(Numbers m) {
  for (Real& x : m.data) x = std::fabs(x);
  return m;
}

/// |c - expected| <= (k + 2) eps sum_p |a_ip b_pj|, the bound of any order of summation; gaps between rows stay.
inline void expect_close(const Numbers& c, const Numbers& expected, const Numbers& magnitude, Index k,
                         const std::string& what) {
  const double epsilon = std::numeric_limits<Real>::epsilon();
  for (Index i = 0; i < c.rows; ++i) {
    for (Index j = 0; j < c.ld; ++j) {
      const auto found = static_cast<double>(c.data[i * c.ld + j]);
      const auto wanted = static_cast<double>(expected.data[i * c.ld + j]);
      const double bound =
          j < c.cols ? epsilon * static_cast<double>(k + 2) * static_cast<double>(magnitude.data[i * c.ld + j]) : 0;
      ASSERT_LE(std::fabs(found - wanted), bound) << what << " at (" << i << ", " << j << ")";
    }
  }
}

}  // namespace DRAGOMAN_NAMESPACE
