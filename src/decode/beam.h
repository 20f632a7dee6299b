// Beam search.
#pragma once

#include <vector>

#include "decode/decode_options.h"
#include "decode/hypothesis.h"
#include "decode/search_rules.h"
#include "models/seq2seq.h"

namespace DRAGOMAN_NAMESPACE {

/// Up to beam_size finished hypotheses a sentence, best first by log_prob / penalty.
///
/// Each step takes the best 2k continuations of a sentence's beam; those among the first k that end in eos are
/// finished, the first k others are the next beam. stop finished: k are finished, or nothing is alive; stop exact:
/// no live hypothesis can beat the best finished one, its log-probability being bounded with the penalty that is
/// best for it over the lengths up to the cap. Ties: lower beam, then lower id.
///
/// With text.n_best > 1: at most so many, of different text; of equal texts the best counts. The search goes on until
/// there are so many (exact: and no live one can beat the last of them) or nothing is alive. The first is the one
/// without n_best, so what would beat it, but ends after the search for it alone had stopped, is left out.
/// All beams of all sentences are rows of one batch; finished sentences leave it.
std::vector<std::vector<Hypothesis>> beam_search(const Seq2Seq& model, Values values, const Sentences& source,
                                                 const DecodeOptions& options, Workspace& workspace,
                                                 const TextRules& text = {});

}  // namespace DRAGOMAN_NAMESPACE
