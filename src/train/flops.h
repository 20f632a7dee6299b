// Floating-point operations of an update, counted from the model's matrices.
#pragma once

#include "core/params.h"

namespace DRAGOMAN_NAMESPACE {

/// Rows that went through the model.
struct UpdateRows {
  Index source_tokens = 0, target_tokens = 0;  ///< eos included
  Index sentences = 0;
};

/// 6 x the sum over matrices of weights x rows multiplied: forward, and in backward the gradients of input and
/// weights, 2 each. Rows are source tokens (encoder; keys and values of the encoder's rows), sentences (the bridge),
/// target tokens (all else). Biases, norms, look-ups and products of attention are not counted.
double update_flops(const ParamStore& store, const UpdateRows& rows);

}  // namespace DRAGOMAN_NAMESPACE
