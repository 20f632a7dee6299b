// e_j = v . tanh(q + k_j), with q = W_q query and k_j = W_k key_j + b.
#include "attention/scores.h"
#include "kernels/vector_math.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

void forward(const Real* q, ConstMat keys, const Real* v, Real /*scale*/, Real* e) {
  for (Index j = 0; j < keys.rows; ++j) {
    const Real* k = keys.row(j);
    e[j] = sum_of(keys.cols, [=](Index a) { return v[a] * tanh_of(q[a] + k[a]); });
  }
}

// With t = tanh(q + k_j), computed again instead of saved:  dv += de_j t;  dq, dk_j += de_j v (1 - t^2).
void backward(const Real* q, ConstMat keys, const Real* v, Real /*scale*/, const Real* de, Real* dq, Mat dkeys,
              Real* dv) {
  for (Index j = 0; j < keys.rows; ++j) {
    const Real* k = keys.row(j);
    Real* dk = dkeys.row(j);
    const Real d = de[j];
    vector_loop(keys.cols, [=](Index a) {
      const Real t = tanh_of(q[a] + k[a]);
      const Real through = d * v[a] * (1 - t * t);
      dv[a] += d * t;
      dq[a] += through;
      dk[a] += through;
    });
  }
}

}  // namespace

const Score kAdditiveScore = {"additive", true, true, true, false, forward, backward};

}  // namespace DRAGOMAN_NAMESPACE
