// exp, tanh, sigmoid and erf that the compiler vectorizes (no calls, no branches), and sums with a fixed order.
//
// float: |relative error| of exp below 2e-7 on [-87, 88] (outside it the argument is clamped), of tanh and sigmoid
// below 4e-7, absolute error of erf below 5e-7; tests compare with the standard library, which the double build uses.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/mat.h"
#include "kernels/vector.h"

namespace DRAGOMAN_NAMESPACE {

#ifdef DRAGOMAN_DOUBLE

inline Real exp_of(Real x) { return std::exp(x); }
inline Real tanh_of(Real x) { return std::tanh(x); }
inline Real erf_of(Real x) { return std::erf(x); }

#else

/// exp(x) = 2^n exp(r), n = round(x / ln 2), |r| <= ln 2 / 2; exp(r) by its Taylor polynomial of degree 7. Adding
/// 1.5 * 2^23 rounds to a whole number, which the last bits of the sum hold: no conversion, undefined for NaN.
inline Real exp_of(Real x) {
  constexpr float kRound = 12582912.0F;
  x = std::min(std::max(x, -87.0F), 88.0F);
  const float sum = x * 1.44269504F + kRound;
  const float n = sum - kRound;
  const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;  // ln 2 in two parts
  float p = 1.0F / 5040;
  p = p * r + 1.0F / 720;
  p = p * r + 1.0F / 120;
  p = p * r + 1.0F / 24;
  p = p * r + 1.0F / 6;
  p = p * r + 0.5F;
  p = p * r + 1.0F;
  p = p * r + 1.0F;
  return p * std::bit_cast<float>((std::bit_cast<std::uint32_t>(sum) << 23) + std::bit_cast<std::uint32_t>(1.0F));
}

/// tanh(x) = 1 - 2 / (exp(2x) + 1) away from zero; its odd Taylor series near zero, where that form cancels.
inline Real tanh_of(Real x) {
  const float z = x * x;
  const float near = x + x * z * (-1.0F / 3 + z * (2.0F / 15 + z * (-17.0F / 315 + z * (62.0F / 2835))));
  const float magnitude = 1 - 2 / (exp_of(2 * std::fabs(x)) + 1);
  const float far = std::copysign(magnitude, x);
  return std::fabs(x) < 0.3F ? near : far;
}

/// erf(x) = sign(x) (1 - t p(t) exp(-x^2)), t = 1 / (1 + 0.3275911 |x|) (Abramowitz and Stegun 1964, 7.1.26) away from
/// zero; its odd Taylor series near zero, where that form cancels.
inline Real erf_of(Real x) {
  const float t = 1 / (1 + 0.3275911F * std::fabs(x));
  float p = 1.061405429F;
  p = p * t - 1.453152027F;
  p = p * t + 1.421413741F;
  p = p * t - 0.284496736F;
  p = p * t + 0.254829592F;
  const float far = std::copysign(1 - p * t * exp_of(-x * x), x);
  const float z = x * x;
  const float series = 1 + z * (-1.0F / 3 + z * (0.1F + z * (-1.0F / 42 + z * (1.0F / 216 - z * (1.0F / 1320)))));
  const float near = 1.128379167F * x * series;  // 2 / sqrt(pi)
  return std::fabs(x) < 0.5F ? near : far;
}

#endif

inline Real sigmoid_of(Real x) { return 1 / (1 + exp_of(-x)); }

/// body(i) for i = 0 .. n-1 in vector lanes: no iteration may read what another writes.
template <class Body>
inline void vector_loop(Index n, Body body) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) body(i);
}

/// sum of term(i), i = 0 .. n-1, in vector lanes: the order depends on n and the instruction set alone. A long sum is
/// four quarters side by side, since one vector could only take an addition every three or four cycles.
template <class Term>
inline Real sum_of(Index n, Term term) {
  const Index quarter = n >= 8 * kLanes ? n / 4 : 0;
  Real a = 0, b = 0, c = 0, d = 0;
#pragma omp simd reduction(+ : a, b, c, d)
  for (Index i = 0; i < quarter; ++i) {
    a += term(i);
    b += term(i + quarter);
    c += term(i + 2 * quarter);
    d += term(i + 3 * quarter);
  }
  Real rest = 0;
#pragma omp simd reduction(+ : rest)
  for (Index i = 4 * quarter; i < n; ++i) rest += term(i);
  return (a + b) + (c + d) + rest;
}

/// The largest of n >= 1 numbers. (GCC 12 doesn't vectorize a maximum: without -ffinite-math-only it may not.)
inline Real max_of(const Real* x, Index n) {
  Real best = x[0];
  Index i = 0;
  if (n >= 2 * kLanes) {
    Vector first = load(x);
    Vector second = load(x + kLanes);
    for (i = 2 * kLanes; i + 2 * kLanes <= n; i += 2 * kLanes) {
      const Vector a = load(x + i);
      const Vector b = load(x + i + kLanes);
      first = a > first ? a : first;
      second = b > second ? b : second;
    }
    first = second > first ? second : first;
    Real lanes[kLanes];
    store(lanes, first);
    for (int half = kLanes / 2; half > 0; half /= 2) {
      for (int l = 0; l < half; ++l) lanes[l] = std::max(lanes[l], lanes[l + half]);
    }
    best = lanes[0];
  }
  for (; i < n; ++i) best = std::max(best, x[i]);
  return best;
}

inline Real dot(const Real* a, const Real* b, Index n) {
  return sum_of(n, [=](Index i) { return a[i] * b[i]; });
}

/// y += scale x
inline void add_scaled(Real scale, const Real* x, Real* y, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) y[i] += scale * x[i];
}

}  // namespace DRAGOMAN_NAMESPACE
