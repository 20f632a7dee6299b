// Losses and log-probabilities of given pairs.
#pragma once

#include <vector>

#include "core/stop.h"
#include "data/corpus.h"
#include "models/seq2seq.h"

namespace DRAGOMAN_NAMESPACE {

struct PairScore {
  double log_prob = 0;  ///< natural, sum over labels
  Index labels = 0;     ///< pieces and eos
};

/// UserError naming the line: a source of more than max_input pieces, or a side longer than the model takes.
void check_lengths(const Seq2Seq& model, const std::vector<Batch>& batches, const Corpus& corpus, Index max_input);

/// Teacher-forced, without dropout, on all threads; sums are added in the order of the batches. pair_scores (may be
/// null) gets one entry a pair, in order. When stopped the result is worthless.
LossSums evaluate_batches(const Seq2Seq& model, const std::vector<Batch>& batches, double smoothing,
                          std::vector<PairScore>* pair_scores = nullptr, const StopCheck& stop = {});

}  // namespace DRAGOMAN_NAMESPACE
