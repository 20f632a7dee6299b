// What a training will need of memory, before it begins.
#pragma once

#include <string>

#include "data/pair_encoder.h"
#include "decode/decode_options.h"
#include "models/seq2seq.h"
#include "train/train_options.h"

namespace DRAGOMAN_NAMESPACE {

/// Bytes, by what they are for.
struct MemoryEstimate {
  std::size_t parameters = 0;   ///< values, moments, moving average, and a gradient for each shard
  std::size_t packed = 0;       ///< copies of the weights for products, of updates and of translating
  std::size_t activations = 0;  ///< threads x what one piece of a shard keeps for backward, and buffers of products
  std::size_t validation = 0;   ///< threads x evaluating, or translating about as long as the targets are
  std::size_t batches = 0;      ///< windows made ahead, and encoded pairs kept for later epochs
  Index longest_line = 0;       ///< tokens of a side of development and test text

  [[nodiscard]] std::size_t total() const { return parameters + packed + activations + validation + batches; }
};

/// The first two: nothing is allocated. `validates`: there is development or test text.
MemoryEstimate estimate_weights(const Seq2Seq& model, const TrainOptions& options, bool validates);

/// The activations are measured: one forward and backward pass over the first pairs of the corpus, up to 600
/// labels (nothing is trained), and scaled to a piece. `encoder` has been examined, so a small corpus is encoded
/// already. `dev` and `test` may be null. An estimate: batches of longer sentences or longer sources take more.
MemoryEstimate estimate_memory(const Seq2Seq& model, const PairEncoder& encoder, const TrainOptions& options,
                               const DecodeOptions& decoding, const Corpus* dev, const Corpus* test, int threads);

}  // namespace DRAGOMAN_NAMESPACE
