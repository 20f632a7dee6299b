// Softmax, label-smoothed cross-entropy and its gradient in one pass over a row of logits.
#pragma once

#include "core/mat.h"

namespace DRAGOMAN_NAMESPACE {

struct LabelLoss {
  double loss = 0;       ///< smoothed
  double log_prob = 0;   ///< log p of the label
  bool correct = false;  ///< the label has the highest logit (ties: the lowest id wins)
};

/// One row: with p = softmax(logits), e = smoothing, V = n,
///   loss = (1 - e)(-log p_label) + (e / V) sum_v (-log p_v)       (Szegedy et al. 2016, section 7; as PyTorch)
/// When `gradient` is set, logits are overwritten by d loss / d logits = p - (1 - e) [v = label] - e / V.
LabelLoss cross_entropy(Real* logits, Index n, TokenId label, double smoothing, bool gradient);

}  // namespace DRAGOMAN_NAMESPACE
