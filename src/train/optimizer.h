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
class Optimizer {
 public:
  Optimizer(const OptimizerOptions& options, const ParamStore& store);

  /// Updates values in place. `scale` multiplies the gradient (1 / labels and clipping in one number).
  void apply(std::int64_t update, double learning_rate, const Real* gradient, double scale, Real* values);

  /// Moments by name ("momentum"; "first", "second"), laid out like the parameters; for checkpoints.
  struct Moment {
    std::string name;
    std::vector<Real> numbers;
  };
  std::vector<Moment> moments;

 private:
  void apply_range(std::size_t begin, std::size_t end, std::int64_t update, double learning_rate, const Real* gradient,
                   double scale, Real* values);

  OptimizerOptions options_;
  std::size_t size_;
  std::vector<char> decays_;  ///< for each block of 16 numbers; parameters start at multiples of 16
};

}  // namespace DRAGOMAN_NAMESPACE
