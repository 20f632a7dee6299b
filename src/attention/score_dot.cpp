// e_ij = scale q_i . k_j: dot, scaled_dot and, with keys projected to the query's width, general.
#include "attention/scores.h"
#include "kernels/gemm.h"
#include "kernels/rows.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

// E = scale Q K^T
void forward(ConstMat queries, ConstMat keys, const Real* /*v*/, Real scale, Mat e) {
  gemm_nt(queries, keys, e);
  multiply(e, scale);
}

// dQ = scale dE K      dK += scale dE^T Q
void backward(ConstMat queries, ConstMat keys, const Real* /*v*/, Real scale, Mat de, Mat dqueries, Mat dkeys,
              Real* /*dv*/, Workspace& /*workspace*/) {
  multiply(de, scale);
  gemm(de, keys, dqueries);
  gemm_tn(de, queries, dkeys);
}

}  // namespace

const Score kDotScore = {"dot", false, false, false, false, forward, backward};
const Score kScaledDotScore = {"scaled_dot", false, false, false, true, forward, backward};
const Score kGeneralScore = {"general", false, true, false, false, forward, backward};

}  // namespace DRAGOMAN_NAMESPACE
