// Optimizers over the flat buffers: one fused pass, parallel over fixed ranges.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/params.h"
#include "train/train_options.h"

namespace DRAGOMAN_NAMESPACE {

/// With g the (scaled, clipped) gradient, lr the learning rate, u the update from 1:
///   sgd    m = momentum m + g;  x -= lr m                                          (as PyTorch)
///   adam   m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2;                        (Kingma and Ba 2015)
///          x -= lr (m / (1 - b1^u)) / (sqrt(v / (1 - b2^u)) + eps)
///   adamw  x -= lr weight_decay x first (not for biases), then adam                (Loshchilov and Hutter 2019)
/// With ema d > 0 also the moving average e of the new x:  e = d_u e + (1 - d_u) x, d_u = min(d, (u - 1) / (u + 8)), so
/// that it begins with the first update and forgets the first ones soon.
class Optimizer {
 public:
  static constexpr std::size_t kRange = std::size_t{1} << 15;  ///< numbers that one thread updates at a time

  Optimizer(const OptimizerOptions& options, const ParamStore& store, double ema = 0);

  /// Updates values in place. `scale` multiplies the gradient (1 / labels and clipping in one number). False: some
  /// value is not finite any more.
  [[nodiscard]] bool apply(std::int64_t update, double learning_rate, const Real* gradient, double scale, Real* values);

  /// Moments by name ("momentum"; "first", "second"; then "ema"), laid out like the parameters; for checkpoints.
  struct Moment {
    std::string name;
    std::vector<Real> numbers;
  };
  std::vector<Moment> moments;
  /// The moving average of the weights; null: none.
  [[nodiscard]] std::vector<Real>* average() { return ema_ > 0 ? &moments.back().numbers : nullptr; }

 private:
  void apply_range(std::size_t begin, std::size_t end, std::int64_t update, double learning_rate, const Real* gradient,
                   double scale, Real* values);
  void average_range(std::size_t begin, std::size_t end, std::int64_t update, const Real* values);

  OptimizerOptions options_;
  double ema_;
  std::size_t size_;
  std::vector<char> decays_;  ///< for each block of 16 numbers; parameters start at multiples of 16
};

}  // namespace DRAGOMAN_NAMESPACE
