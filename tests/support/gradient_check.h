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
/// Passes when |a - n| <= 1e-6 max(|a|, |n|) + 1e-8 for each; the largest errors go to the report.
inline void check_gradient(const std::string& name, Real* x, const Real* gradient, Index n,
                           const std::function<double()>& loss, GradientReport& report = gradient_report()) {
  constexpr double kStep = 1e-5;
  for (Index i = 0; i < n; ++i) {
    const Real kept = x[i];
    x[i] = static_cast<Real>(kept + kStep);
    const double above = loss();
    x[i] = static_cast<Real>(kept - kStep);
    const double below = loss();
    x[i] = kept;
    const double numeric = (above - below) / (2 * kStep);
    const auto analytic = static_cast<double>(gradient[i]);
    const double size = std::max(std::fabs(analytic), std::fabs(numeric)) + 0.01;
    report.add(name, std::fabs(analytic - numeric) / size);
    ASSERT_LE(std::fabs(analytic - numeric), 1e-6 * size)
        << name << "[" << i << "]: by hand " << analytic << ", by differences " << numeric;
  }
}

}  // namespace DRAGOMAN_NAMESPACE
