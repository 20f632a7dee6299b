// Attention is one function of queries, keys, values and a score f:
//
//   Attention(Q, K, V) = softmax(f(Q, K)) V          row i: c_i = sum_j a_ij v_j,  a_i = softmax_j f(q_i, k_j)
//
// The kinds of attention only differ in where Q, K and V come from:
//   recurrent decoder (Bahdanau et al. 2015; Luong et al. 2015)   Q: the decoder's state; K, V: the encoder's rows
//   self-attention (Vaswani et al. 2017)                          Q, K, V: the rows of one layer; K, V not later than
//                                                                 the query in a decoder
//   encoder-decoder attention (the same)                          Q: the decoder's rows; K, V: the encoder's
// attend() is that function. AttentionLayer (recurrent) and MultiHead (Transformer) project what goes into it.
#pragma once

#include <span>

#include "attention/scores.h"
#include "core/mat.h"
#include "core/workspace.h"
#include "layers/dropout.h"

namespace DRAGOMAN_NAMESPACE {

/// The keys that a query may see: rows begin .. end - 1 of K and V, at least one. Masking is leaving out.
struct KeyRange {
  Index begin = 0, end = 0;
  [[nodiscard]] Index size() const { return end - begin; }
};

/// The end of the piece that begins with query `begin`: neighboring queries whose ranges begin at the same key.
Index piece_end(std::span<const KeyRange> ranges, Index begin);

/// What goes in: Q [n, d], K [m, d], V [m, c], all projected. A piece (the queries of one sentence) is computed
/// with matrix products.
struct AttentionInput {
  const Score* score = nullptr;
  Real scale = 1;
  const Real* v = nullptr;  ///< of the additive score
  ConstMat queries, keys, values;
  std::span<const KeyRange> ranges;                ///< of each query
  Dropout dropout;                                 ///< on the weights
  std::span<const std::uint64_t> noise_keys = {};  ///< of each query
  /// Each query by itself (dot scores, no dropout): a step of a recurrent decoder, or of decoding, where a sentence has
  /// one query or as many as beams, and a beam's bits must not depend on how many there are.
  bool by_query = false;
};

/// context [n, c]. If `weights` is not empty it gets a_i, before dropout, in the first columns of row i (what lies
/// beyond the longest range of the piece is left as it was); else the weights only live as long as their piece.
void attend(const AttentionInput& input, Mat weights, Mat context, Workspace& workspace);

struct AttentionGrads {
  Mat queries;        ///< overwritten
  Mat keys, values;   ///< added to: the steps of a recurrent decoder, or the heads of a layer, share them
  Real* v = nullptr;  ///< added to
};

/// With dc given: da_ij = dc_i . v_j (dropped as a_ij was), de = softmax_backward(a, da), then the score's backward.
/// Empty weights are computed again from Q and K, piece by piece. That costs a seventh product of a piece and
/// spares the memory of queries x keys numbers a head from forward to backward.
void attend_backward(const AttentionInput& input, ConstMat weights, ConstMat dcontext, const AttentionGrads& grads,
                     Workspace& workspace);

}  // namespace DRAGOMAN_NAMESPACE
