// Attention is one function of queries, keys, values and a score f:
//
//   Attention(Q, K, V) = softmax(f(Q, K)) V          row i: c_i = sum_j a_ij v_j,  a_i = softmax_j f(q_i, k_j)
//
// The kinds of attention only differ in where Q, K and V come from. In a recurrent decoder the query is the
// decoder's state and keys and values are the encoder's rows (Bahdanau et al. 2015; Luong et al. 2015).
#pragma once

#include <span>
#include <string>

#include "attention/scores.h"
#include "core/params.h"
#include "core/workspace.h"
#include "layers/linear.h"

namespace DRAGOMAN_NAMESPACE {

/// The keys that a query may see: rows begin .. end - 1 of K and V. Masking is leaving out.
struct KeyRange {
  Index begin = 0, end = 0;
  [[nodiscard]] Index size() const { return end - begin; }
};

/// The function itself, on projected queries [n, d] and keys [m, d], values [m, c].
/// weights [n, at least the longest range]: row i holds a_i in its first ranges[i].size() columns (kept for
/// backward and for attention maps). context [n, c].
void attend(const Score& score, ConstMat queries, ConstMat keys, ConstMat values, std::span<const KeyRange> ranges,
            const Real* v, Real scale, Mat weights, Mat context);

/// Gradient: with dc given, da_ij = dc_i . v_j, de = softmax_backward(a, da), then the score's backward.
/// dqueries is overwritten; dkeys, dvalues, dv accumulate (steps of a decoder share them). The scores are computed
/// again from q and k; only the weights are saved.
void attend_backward(const Score& score, ConstMat queries, ConstMat keys, ConstMat values,
                     std::span<const KeyRange> ranges, const Real* v, Real scale, ConstMat weights, ConstMat dcontext,
                     Mat dqueries, Mat dkeys, Mat dvalues, Real* dv, Workspace& workspace);

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
  void forward(Values values, ConstMat projected_queries, ConstMat projected_keys, ConstMat memory,
               std::span<const KeyRange> ranges, Mat weights, Mat context) const;
  void backward(Values values, ConstMat projected_queries, ConstMat projected_keys, ConstMat memory,
                std::span<const KeyRange> ranges, ConstMat weights, ConstMat dcontext, Mat dprojected_queries,
                Mat dprojected_keys, Mat dmemory, Grads grads, Workspace& workspace) const;
  /// From the gradient of projected keys to that of the keys (added) and of W_k, b.
  void keys_backward(Values values, ConstMat keys, ConstMat dprojected_keys, Mat dkeys_acc, Grads grads) const;
};

}  // namespace DRAGOMAN_NAMESPACE
