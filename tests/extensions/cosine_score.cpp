// e_ij = s cos(q_i, k_j) = s q_i . k_j / (|q_i| |k_j|), with a learned scale s and k = W_k key.
#include <cmath>

#include "extensions/extensions.h"
#include "kernels/rows.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

Real dot_of(ConstMat a, Index i, ConstMat b, Index j) {
  Real sum = 0;
  for (Index c = 0; c < a.cols; ++c) sum += a(i, c) * b(j, c);
  return sum;
}

/// |a_i|; never 0, so that a row of zeros has a cosine of 0.
Real norm_of(ConstMat a, Index i) { return std::sqrt(dot_of(a, i, a, i) + Real(1e-12)); }

void forward(ConstMat queries, ConstMat keys, const Real* s, Real /*scale*/, Mat e) {
  for (Index i = 0; i < queries.rows; ++i) {
    for (Index j = 0; j < keys.rows; ++j) {
      e(i, j) = s[0] * dot_of(queries, i, keys, j) / (norm_of(queries, i) * norm_of(keys, j));
    }
  }
}

// With c = cos(q, k):  ds += de c   dq += de s (k / (|q| |k|) - c q / |q|^2)   dk += the same with q and k exchanged
void backward(ConstMat queries, ConstMat keys, const Real* s, Real /*scale*/, Mat de, Mat dqueries, Mat dkeys, Real* ds,
              Workspace& /*workspace*/) {
  fill(dqueries, 0);
  for (Index i = 0; i < queries.rows; ++i) {
    const Real q = norm_of(queries, i);
    for (Index j = 0; j < keys.rows; ++j) {
      const Real k = norm_of(keys, j);
      const Real cosine = dot_of(queries, i, keys, j) / (q * k);
      const Real d = de(i, j) * s[0];
      ds[0] += de(i, j) * cosine;
      for (Index c = 0; c < keys.cols; ++c) {
        dqueries(i, c) += d * (keys(j, c) / (q * k) - cosine * queries(i, c) / (q * q));
        dkeys(j, c) += d * (queries(i, c) / (q * k) - cosine * keys(j, c) / (k * k));
      }
    }
  }
}

}  // namespace

const Score kCosineScore = {.name = "cosine",
                            .projects_keys = true,
                            .learned = Score::Learned::scalar,
                            .forward = forward,
                            .backward = backward};

}  // namespace DRAGOMAN_NAMESPACE
