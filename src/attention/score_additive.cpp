// e_ij = v . tanh(q_i + k_j), with q = W_q query and k = W_k key + b.
#include "attention/scores.h"
#include "kernels/rows.h"
#include "kernels/vector_math.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

void forward(ConstMat queries, ConstMat keys, const Real* v, Real /*scale*/, Mat e) {
  for (Index i = 0; i < queries.rows; ++i) {
    const Real* q = queries.row(i);
    for (Index j = 0; j < keys.rows; ++j) {
      const Real* k = keys.row(j);
      e(i, j) = sum_of(keys.cols, [=](Index a) { return v[a] * tanh_of(q[a] + k[a]); });
    }
  }
}

// With t = tanh(q_i + k_j), computed again instead of saved:
//   dv += de_ij t      dq_i += de_ij v (1 - t^2)      dk_j += the same
void backward(ConstMat queries, ConstMat keys, const Real* v, Real /*scale*/, Mat de, Mat dqueries, Mat dkeys, Real* dv,
              Workspace& /*workspace*/) {
  fill(dqueries, 0);
  for (Index i = 0; i < queries.rows; ++i) {
    const Real* q = queries.row(i);
    Real* dq = dqueries.row(i);
    for (Index j = 0; j < keys.rows; ++j) {
      const Real* k = keys.row(j);
      Real* dk = dkeys.row(j);
      const Real d = de(i, j);
      vector_loop(keys.cols, [=](Index a) {
        const Real t = tanh_of(q[a] + k[a]);
        const Real through = d * v[a] * (1 - t * t);
        dv[a] += d * t;
        dq[a] += through;
        dk[a] += through;
      });
    }
  }
}

}  // namespace

const Score kAdditiveScore = {.name = "additive",
                              .projects_queries = true,
                              .projects_keys = true,
                              .has_key_bias = true,
                              .learned = Score::Learned::vector,
                              .forward = forward,
                              .backward = backward};

}  // namespace DRAGOMAN_NAMESPACE
