// The output layer with its loss: fused and in chunks of rows, so that a [tokens, vocabulary] matrix never exists.
#pragma once

#include <span>
#include <string>

#include "core/params.h"
#include "core/workspace.h"

namespace DRAGOMAN_NAMESPACE {

/// Sums over labels; sums of shards add up.
struct LossSums {
  double loss = 0;               ///< smoothed cross-entropy
  double negative_log_prob = 0;  ///< of the labels, unsmoothed
  Index labels = 0;
  Index correct = 0;  ///< labels that have the highest logit

  void add(const LossSums& other);
};

/// logits = r W + b, or r E^T + b when tied to an embedding table.
/// W [size, vocabulary]   E [vocabulary, size]   b [1, vocabulary]
struct OutputLayer {
  ParamRef w, b;
  bool tied = false;

  [[nodiscard]] Index vocabulary() const { return b.cols; }
  void logits(Values values, ConstMat r, Mat y) const;
  /// Loss and all gradients of it: dr is overwritten, dW, db accumulate. Gradients of the sum over labels.
  LossSums loss_backward(Values values, ConstMat r, std::span<const TokenId> labels, double smoothing, Mat dr,
                         Grads grads, Workspace& workspace) const;
  /// Loss alone. log_probs, when not empty, gets log p of each label.
  LossSums loss(Values values, ConstMat r, std::span<const TokenId> labels, double smoothing,
                std::span<double> log_probs, Workspace& workspace) const;
};

}  // namespace DRAGOMAN_NAMESPACE
