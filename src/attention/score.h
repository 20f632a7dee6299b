// An attention score is only its score: how well a query fits a key. Projections, softmax and the weighted sum
// belong to attend() and the layers that call it. Scores are symmetric, f(q, k) = f(k, q), so that forward(keys, queries)
// gives the transposed e. Adding a score: one file score_NAME.cpp and one line in scores.cpp.
#pragma once

#include "core/mat.h"
#include "core/workspace.h"

namespace DRAGOMAN_NAMESPACE {

struct Score {
  const char* name;
  bool projects_queries;  ///< q = W_q query
  bool projects_keys;     ///< k = W_k key, once a sentence
  bool has_vector;        ///< a vector v (and a bias b in the key projection); without it e = scale q . k
  bool scaled;            ///< times size^-0.5

  /// e_ij = f(q_i, k_j) for all rows q_i of queries and k_j of keys (both projected). A row of e depends, to the bit,
  /// on its query and its keys alone.
  void (*forward)(ConstMat queries, ConstMat keys, const Real* v, Real scale, Mat e);
  /// Given de (which may be used up): dqueries is overwritten; dkeys, dv are added to.
  void (*backward)(ConstMat queries, ConstMat keys, const Real* v, Real scale, Mat de, Mat dqueries, Mat dkeys,
                   Real* dv, Workspace& workspace);
};

}  // namespace DRAGOMAN_NAMESPACE
