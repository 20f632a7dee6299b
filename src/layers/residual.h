// The residual connection around a sub-layer f, with dropout and layer normalization.
#pragma once

#include <span>
#include <string>

#include "layers/dropout.h"
#include "layers/layer_norm.h"

namespace DRAGOMAN_NAMESPACE {

/// post-norm  y = LN(x + dropout(f(x)))        (Vaswani et al. 2017, section 3.1)
/// pre-norm   y = x + dropout(f(LN(x)))        (Xiong et al. 2020)
///
/// Around f:     fx = f(residual.before(x));            y = residual.after(x, fx)
/// In backward:  after_backward(dy, dx, df);  df -> d before(x);  before_backward(that, dx)
struct Residual {
  LayerNorm norm;
  Dropout dropout;
  bool pre = false;

  struct Saved {
    LayerNorm::Saved norm;
  };

  /// Declares NAME.norm; the place of dropout is NAME.residual.
  static Residual create(ParamStore& store, const std::string& name, Index size, bool pre, Real dropout);

  /// What f reads.
  ConstMat before(Values values, ConstMat x, Workspace& workspace, Saved& saved) const;
  /// fx is used up (the sum is formed in place).
  Mat after(Values values, ConstMat x, Mat fx, std::span<const std::uint64_t> keys, Workspace& workspace,
            Saved& saved) const;
  /// dx (overwritten) is the share of the path around f; dfx (overwritten) is the gradient of f's output.
  void after_backward(Values values, const Saved& saved, ConstMat dy, std::span<const std::uint64_t> keys, Mat dx,
                      Mat dfx, Grads grads) const;
  /// dx += the share through f; dbefore is used up.
  void before_backward(Values values, const Saved& saved, Mat dbefore, Mat dx, Grads grads) const;
};

}  // namespace DRAGOMAN_NAMESPACE
