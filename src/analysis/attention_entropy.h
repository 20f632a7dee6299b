// Entropy and largest weight of a model's attention over given pairs.
#pragma once

#include <vector>

#include "analysis/head_entropy.h"
#include "core/stop.h"
#include "models/seq2seq.h"

namespace DRAGOMAN_NAMESPACE {

/// Teacher-forced, over batches in order until 1,000 sentences are seen, on all threads. Batches of more than 1,024
/// tokens a side are passed over, since maps grow with the square of the length. Empty for a model without attention.
/// When stopped the result is worthless.
std::vector<HeadEntropy> attention_entropy(const Seq2Seq& model, Values values, const std::vector<Batch>& batches,
                                           const StopCheck& stop = {});

/// Is it short enough for that?
bool has_entropy(const Batch& batch);

}  // namespace DRAGOMAN_NAMESPACE
