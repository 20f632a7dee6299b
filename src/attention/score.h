// An attention score is only its score: how well a query fits a key. Projections, softmax and the weighted sum
// belong to Attention. Adding a score: one file score_NAME.cpp and one line in scores.cpp.
#pragma once

#include "core/mat.h"

namespace DRAGOMAN_NAMESPACE {

struct Score {
  const char* name;
  bool projects_queries;  ///< q = W_q query
  bool projects_keys;     ///< k = W_k key, once a sentence
  bool has_vector;        ///< a vector v (and a bias b in the key projection)
  bool scaled;            ///< times size^-0.5

  /// e_j = f(q, k_j) for the rows k_j of keys (projected).
  void (*forward)(const Real* q, ConstMat keys, const Real* v, Real scale, Real* e);
  /// Given de: dq, dkeys, dv are added to.
  void (*backward)(const Real* q, ConstMat keys, const Real* v, Real scale, const Real* de, Real* dq, Mat dkeys,
                   Real* dv);
};

}  // namespace DRAGOMAN_NAMESPACE
