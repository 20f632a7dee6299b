// An attention score is only its score: how well a query fits a key. Projections, softmax and the weighted sum
// belong to attend() and the layers that call it. Scores are symmetric, f(q, k) = f(k, q), so that forward(keys, queries)
// gives the transposed e. Adding a score: one file score_NAME.cpp and one line in scores.cpp.
#pragma once

#include "core/mat.h"
#include "core/workspace.h"

namespace DRAGOMAN_NAMESPACE {

struct Score {
  const char* name;
  bool projects_queries = false;  ///< q = W_q query, to a width of the configuration
  bool projects_keys = false;     ///< k = W_k key, once a sentence
  bool has_key_bias = false;      ///< k = W_k key + b
  /// A learned v: as wide as projected queries and keys, or one number, which starts at 1.
  enum class Learned { nothing, vector, scalar };
  Learned learned = Learned::nothing;
  bool scaled = false;      ///< `scale` is size^-0.5 instead of 1
  bool is_product = false;  ///< e = scale q . k and nothing else, so that attend() may compute it in its own way

  /// e_ij = f(q_i, k_j) for all rows q_i of queries and k_j of keys (both projected). A row of e depends, to the bit,
  /// on its query and its keys alone.
  void (*forward)(ConstMat queries, ConstMat keys, const Real* v, Real scale, Mat e) = nullptr;
  /// Given de (which may be used up): dqueries is overwritten; dkeys, dv are added to.
  void (*backward)(ConstMat queries, ConstMat keys, const Real* v, Real scale, Mat de, Mat dqueries, Mat dkeys,
                   Real* dv, Workspace& workspace) = nullptr;

  /// Neither projections nor parameters of its own: what the heads of a Transformer, which have their own, can use.
  [[nodiscard]] bool is_plain() const { return !projects_queries && !projects_keys && learned == Learned::nothing; }
};

}  // namespace DRAGOMAN_NAMESPACE
