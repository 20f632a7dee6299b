// The attention of recurrent decoders: queries from the decoder's state, keys and values from the encoder's rows.
#pragma once

#include <span>
#include <string>

#include "attention/attention.h"
#include "core/params.h"
#include "layers/linear.h"

namespace DRAGOMAN_NAMESPACE {

/// A score with its parameters: projects queries and keys.
/// W_q [query, size]   W_k [key, size]   b [1, size]   v [1, size]; general: W_k [key, query].
struct AttentionLayer {
  const Score* score = nullptr;
  Linear query, key;  ///< used if the score projects queries, keys
  ParamRef v;
  Index query_size = 0, key_size = 0;
  Index size = 0;  ///< width of projected queries and keys
  Real scale = 1;

  static AttentionLayer create(ParamStore& store, const std::string& name, const Score& score, Index query_size,
                               Index key_size, Index size, const Init& init);

  /// Once a sentence. A score without projection gives the keys themselves.
  ConstMat project_keys(Values values, ConstMat keys, Workspace& workspace) const;
  /// out [n, size]; a copy for scores without projection.
  void project_queries(Values values, ConstMat queries, Mat out) const;
  /// What attend() and attend_backward() take.
  [[nodiscard]] AttentionInput input(Values values, ConstMat projected_queries, ConstMat projected_keys,
                                     ConstMat memory, std::span<const KeyRange> ranges) const;
  /// From the gradient of projected keys to that of the keys (added) and of W_k, b.
  void keys_backward(Values values, ConstMat keys, ConstMat dprojected_keys, Mat dkeys_acc, Grads grads) const;
};

}  // namespace DRAGOMAN_NAMESPACE
