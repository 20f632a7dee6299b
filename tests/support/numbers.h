// Matrices of random numbers that tests own.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "core/mat.h"
#include "core/params.h"
#include "core/rng.h"

namespace DRAGOMAN_NAMESPACE {

inline std::vector<Real> random_numbers(Index n, std::uint64_t seed, double deviation = 1) {
  std::vector<Real> numbers(static_cast<std::size_t>(n));
  Rng rng(seed);
  for (Real& x : numbers) x = static_cast<Real>(deviation * rng.normal());
  return numbers;
}

/// A rows x cols matrix of normal draws; `gap` numbers lie between two rows.
struct Numbers {
  std::vector<Real> data;
  Index rows, cols, ld;

  Numbers(Index r, Index c, std::uint64_t seed, Index gap = 0, double deviation = 1)
      : data(random_numbers(r * (c + gap), seed, deviation)), rows(r), cols(c), ld(c + gap) {}

  [[nodiscard]] Mat mat() { return {data.data(), rows, cols, ld}; }
  [[nodiscard]] ConstMat view() const { return {data.data(), rows, cols, ld}; }
  operator ConstMat() const { return view(); }  // NOLINT: a view
};

/// sum_ij a_ij b_ij: a loss that is linear in a, with gradient b.
inline double inner_product(ConstMat a, ConstMat b) {
  double sum = 0;
  for (Index i = 0; i < a.rows; ++i) {
    for (Index j = 0; j < a.cols; ++j) sum += static_cast<double>(a(i, j)) * static_cast<double>(b(i, j));
  }
  return sum;
}

inline bool same_bits(ConstMat a, ConstMat b) {
  if (a.rows != b.rows || a.cols != b.cols) return false;
  if (a.empty()) return true;
  for (Index i = 0; i < a.rows; ++i) {
    if (std::memcmp(a.row(i), b.row(i), static_cast<std::size_t>(a.cols) * sizeof(Real)) != 0) return false;
  }
  return true;
}

/// Starting values, and random ones for the biases, which would start at zero.
inline void initialize_with_biases(ParamStore& store, std::uint64_t seed) {
  store.initialize(seed);
  for (const Param& p : store.params()) {
    if (p.decay) continue;
    Rng rng(hash_key({seed, hash_name(p.name)}));
    for (Index j = 0; j < p.ref.cols; ++j) store.data()[p.ref.offset + j] += static_cast<Real>(0.3 * rng.normal());
  }
}

/// A gradient buffer that starts as noise, because gradients accumulate; added() is what was added since.
class NoisyGradient {
 public:
  explicit NoisyGradient(std::size_t size, std::uint64_t seed = 5)
      : before_(random_numbers(static_cast<Index>(size), seed)), after_(before_) {}

  [[nodiscard]] Real* data() { return after_.data(); }
  [[nodiscard]] Grads grads() { return {after_.data()}; }
  [[nodiscard]] std::vector<Real> added() const {
    std::vector<Real> difference(after_.size());
    for (std::size_t i = 0; i < after_.size(); ++i) difference[i] = after_[i] - before_[i];
    return difference;
  }

 private:
  std::vector<Real> before_, after_;
};

}  // namespace DRAGOMAN_NAMESPACE
