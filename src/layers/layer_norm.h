// Layer normalization (Ba, Kiros and Hinton 2016).
#pragma once

#include <string>

#include "core/params.h"
#include "core/workspace.h"

namespace DRAGOMAN_NAMESPACE {

/// y = gain n + bias,  n = (x - mean(x)) / sqrt(variance(x) + 1e-5), each row by itself.
/// x, y [rows, size]   gain, bias [1, size]; gain starts at 1.
struct LayerNorm {
  ParamRef gain, bias;

  /// The normalized rows and one inverse deviation a row: backward needs nothing else, neither x nor y.
  struct Saved {
    Mat normalized;
    std::span<Real> inverse_deviation;
  };

  static LayerNorm create(ParamStore& store, const std::string& name, Index size);

  Mat forward(Values values, ConstMat x, Workspace& workspace, Saved& saved) const;
  /// dx may be dy.
  void backward(Values values, const Saved& saved, ConstMat dy, Mat dx, Grads grads) const;
};

}  // namespace DRAGOMAN_NAMESPACE
