// An optimizer over the flat buffers: one fused pass, parallel over fixed ranges.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/params.h"
#include "train/optimizer_rules.h"

namespace DRAGOMAN_NAMESPACE {

/// One of optimizer_rules() with its moments. With ema d > 0 also the moving average e of the new x:
/// e = d_u e + (1 - d_u) x, d_u = min(d, (u - 1) / (u + 8)), so that it begins with the first update and forgets the first
/// ones soon.
class Optimizer {
 public:
  static constexpr std::size_t kRange = std::size_t{1} << 15;  ///< numbers that one thread updates at a time
  static_assert(kRange % kOptimizerBlock == 0);

  Optimizer(const OptimizerOptions& options, const ParamStore& store, double ema = 0);

  /// Updates values in place. `scale` multiplies the gradient (1 / labels and clipping in one number). False: some
  /// value is not finite any more.
  [[nodiscard]] bool apply(std::int64_t update, double learning_rate, const Real* gradient, double scale, Real* values);

  /// What a checkpoint keeps of it, by name: the rule's moments, then "ema"; laid out like the parameters.
  struct Buffer {
    std::string name;
    std::vector<Real> numbers;
  };
  [[nodiscard]] std::span<const Buffer> buffers() const { return buffers_; }
  [[nodiscard]] std::span<Buffer> buffers() { return buffers_; }
  /// The moving average of the weights; null: none.
  [[nodiscard]] std::vector<Real>* average() { return ema_ > 0 ? &buffers_[moments_].numbers : nullptr; }

 private:
  void decay_range(std::size_t begin, std::size_t end, double learning_rate, Real* values) const;

  OptimizerOptions options_;
  const OptimizerRule& rule_;
  double ema_;
  std::size_t size_;
  std::size_t moments_ = 0;  ///< so many of the buffers are moments
  std::vector<Buffer> buffers_;
  std::vector<char> decays_;  ///< for each block; parameters start at one
};

}  // namespace DRAGOMAN_NAMESPACE
