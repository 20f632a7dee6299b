// Embeddings: a table look-up.
#pragma once

#include <span>
#include <string>

#include "core/params.h"

namespace DRAGOMAN_NAMESPACE {

/// y_i = scale E[id_i]      E [vocabulary, size]
/// backward: dE[id_i] += scale dy_i, in row order.
struct Embedding {
  ParamRef table;
  Real scale = 1;

  void forward(Values values, std::span<const TokenId> ids, Mat y) const;
  void backward(std::span<const TokenId> ids, ConstMat dy, Grads grads) const;
};

}  // namespace DRAGOMAN_NAMESPACE
