// Central differences against a hand-written gradient (double build).
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "core/mat.h"
#include "support/gradient_report.h"

namespace DRAGOMAN_NAMESPACE {

/// Compares `gradient` with (loss(x + h) - loss(x - h)) / 2h for each of n numbers at x, h = 1e-5.
/// Passes when |a - n| <= 1e-6 max(|a|, |n|) + 1e-8 for each; the largest errors go to the report. Where these
/// differences are near that bound, by rounding or by a loss that bends, those of two wider steps decide, without the
/// error of second order.
inline void check_gradient(const std::string& name, Real* x, const Real* gradient, Index n,
                           const std::function<double()>& loss, GradientReport& report = gradient_report()) {
  for (Index i = 0; i < n; ++i) {
    const Real kept = x[i];
    const auto slope = [&](double step) {
      x[i] = static_cast<Real>(kept + step);
      const double above = loss();
      x[i] = static_cast<Real>(kept - step);
      const double below = loss();
      x[i] = kept;
      return (above - below) / (2 * step);
    };
    const auto analytic = static_cast<double>(gradient[i]);
    double numeric = slope(1e-5);
    const double size = std::max(std::fabs(analytic), std::fabs(numeric)) + 0.01;
    if (std::fabs(analytic - numeric) > 0.25e-6 * size) numeric = (4 * slope(1e-4) - slope(2e-4)) / 3;
    report.add(name, std::fabs(analytic - numeric) / size);
    ASSERT_LE(std::fabs(analytic - numeric), 1e-6 * size)
        << name << "[" << i << "]: by hand " << analytic << ", by differences " << numeric;
  }
}

}  // namespace DRAGOMAN_NAMESPACE
