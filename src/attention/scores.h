// The table of attention scores.
#pragma once

#include "attention/score.h"
#include "core/table.h"

namespace DRAGOMAN_NAMESPACE {

extern const Score kDotScore;        ///< q . k                          Luong et al. 2015, section 3.1
extern const Score kScaledDotScore;  ///< q . k / sqrt(d)                Vaswani et al. 2017, equation 1
extern const Score kGeneralScore;    ///< q . (W_k k)                    Luong et al. 2015 ("general", bilinear)
extern const Score kAdditiveScore;   ///< v . tanh(W_q q + W_k k + b)    Bahdanau et al. 2015, appendix A.1.2

Table<Score>& scores();

}  // namespace DRAGOMAN_NAMESPACE
