// What a validation will need of memory.
#pragma once

#include "data/pair_encoder.h"
#include "decode/decode_options.h"
#include "models/seq2seq.h"
#include "train/train_options.h"

namespace DRAGOMAN_NAMESPACE {

struct ValidationMemory {
  std::size_t bytes = 0;  ///< of one thread: evaluating a batch or searching, whichever takes more
  Index longest = 0;      ///< tokens of the longest side of a line
};

/// Batches up to 1,024 tokens a side are measured; longer lines, whose attention takes memory by the square of their
/// length, are computed from measured ones. A search has targets as long as the references, and hypotheses that end at
/// different times.
ValidationMemory validation_memory(const Seq2Seq& model, const PairEncoder& text, const ValidationOptions& options,
                                   const DecodeOptions& decoding, Index beam_size);

}  // namespace DRAGOMAN_NAMESPACE
