// The table of optimizers: how a range of numbers follows its gradient.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/real.h"
#include "core/table.h"
#include "train/train_options.h"

namespace DRAGOMAN_NAMESPACE {

/// Buffers are whole blocks of so many numbers (ParamStore), and so are ranges: a compiler's loop has no rest, which it
/// might compute in another way than what stands before it.
inline constexpr std::size_t kOptimizerBlock = 16;

/// One update of the whole blocks begin .. end - 1.
struct OptimizerRange {
  const OptimizerOptions& options;
  double update = 1;  ///< counts from 1
  double learning_rate = 0;
  Real scale = 1;  ///< of the gradient: 1 / labels and clipping in one number
  const Real* gradient = nullptr;
  Real* values = nullptr;
  std::span<Real* const> moments;  ///< in the order of their names
  std::size_t begin = 0, end = 0;
};

struct OptimizerRule {
  const char* name;
  /// The names of what it keeps for each number beside the number; they start at 0.
  std::vector<std::string> (*moments)(const OptimizerOptions&) = nullptr;
  void (*apply)(const OptimizerRange&) = nullptr;
  /// Which keys of training.optimizer it reads; the others must stay at their defaults.
  bool reads_betas = false, reads_epsilon = false, reads_momentum = false;
  /// Decoupled weight decay: x -= learning_rate weight_decay x first, but for biases and norms.
  bool decays = false;
};

extern const OptimizerRule kSgd;    ///< m = momentum m + g;  x -= lr m                        (as PyTorch)
extern const OptimizerRule kAdam;   ///< m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2;
                                    ///< x -= lr (m / (1 - b1^u)) / (sqrt(v / (1 - b2^u)) + eps)  (Kingma and Ba 2015)
extern const OptimizerRule kAdamW;  ///< the same, with decay                        (Loshchilov and Hutter 2019)

Table<OptimizerRule>& optimizer_rules();

}  // namespace DRAGOMAN_NAMESPACE
