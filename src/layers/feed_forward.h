// The position-wise feed-forward layer (Vaswani et al. 2017, section 3.3).
#pragma once

#include <span>
#include <string>

#include "kernels/activation.h"
#include "layers/dropout.h"
#include "layers/linear.h"

namespace DRAGOMAN_NAMESPACE {

/// y = dropout(f(x W_1 + b_1)) W_2 + b_2      x, y [rows, size]   W_1 [size, inner]   W_2 [inner, size]
struct FeedForward {
  Linear first, second;
  const Activation* activation = nullptr;
  Dropout dropout;

  struct Saved {
    ConstMat x;
    Mat before;  ///< the activation, for its derivative
    Mat after;   ///< the activation and dropout, for dW_2
  };

  static FeedForward create(ParamStore& store, const std::string& name, Index size, Index inner,
                            const Activation& activation, Real dropout, const Init& init);

  Mat forward(Values values, ConstMat x, std::span<const std::uint64_t> keys, Workspace& workspace, Saved& saved) const;
  void backward(Values values, const Saved& saved, ConstMat dy, std::span<const std::uint64_t> keys, Mat dx,
                Grads grads, Workspace& workspace) const;
};

}  // namespace DRAGOMAN_NAMESPACE
