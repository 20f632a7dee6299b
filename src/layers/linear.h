// The linear layer.
#pragma once

#include <string>

#include "core/params.h"

namespace DRAGOMAN_NAMESPACE {

/// y = x W + b      x [n, in]   W [in, out]   b [1, out] (optional)
///
/// backward: dx = dy W^T (overwritten, or added with accumulate_dx);  dW += x^T dy;  db += sum of the rows of dy.
/// A ParamRef row range as `w` makes the layer read a part of a concatenated input: [x1; x2] W = x1 W1 + x2 W2.
struct Linear {
  ParamRef w, b;

  static Linear create(ParamStore& store, const std::string& name, Index in, Index out, const Init& init,
                       bool bias = true);

  void forward(Values values, ConstMat x, Mat y) const;
  /// y += x W; no bias.
  void forward_add(Values values, ConstMat x, Mat y) const;
  /// dx with no columns: not wanted.
  void backward(Values values, ConstMat x, ConstMat dy, Mat dx, Grads grads, bool accumulate_dx = false) const;
  /// dx = dy W^T, or += with accumulate: only the gradient of the input.
  void backward_input(Values values, ConstMat dy, Mat dx, bool accumulate = false) const;
  /// Only dW and db.
  void backward_weights(ConstMat x, ConstMat dy, Grads grads) const;
};

}  // namespace DRAGOMAN_NAMESPACE
