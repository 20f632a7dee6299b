// e_j = scale q . k_j: dot, scaled_dot and, with keys projected to the query's width, general.
#include "attention/scores.h"
#include "kernels/vector_math.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

void forward(const Real* q, ConstMat keys, const Real* /*v*/, Real scale, Real* e) {
  for (Index j = 0; j < keys.rows; ++j) e[j] = scale * dot(q, keys.row(j), keys.cols);
}

// dq += scale sum_j de_j k_j      dk_j += scale de_j q
void backward(const Real* q, ConstMat keys, const Real* /*v*/, Real scale, const Real* de, Real* dq, Mat dkeys,
              Real* /*dv*/) {
  for (Index j = 0; j < keys.rows; ++j) {
    add_scaled(scale * de[j], keys.row(j), dq, keys.cols);
    add_scaled(scale * de[j], q, dkeys.row(j), keys.cols);
  }
}

}  // namespace

const Score kDotScore = {"dot", false, false, false, false, forward, backward};
const Score kScaledDotScore = {"scaled_dot", false, false, false, true, forward, backward};
const Score kGeneralScore = {"general", false, true, false, false, forward, backward};

}  // namespace DRAGOMAN_NAMESPACE
