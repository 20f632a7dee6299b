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

const Score kDotScore = {.name = "dot", .is_product = true, .forward = forward, .backward = backward};
const Score kScaledDotScore = {
    .name = "scaled_dot", .scaled = true, .is_product = true, .forward = forward, .backward = backward};
const Score kGeneralScore = {
    .name = "general", .projects_keys = true, .is_product = true, .forward = forward, .backward = backward};

}  // namespace DRAGOMAN_NAMESPACE
