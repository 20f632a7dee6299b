#include "train/memory.h"

#include <algorithm>
#include <vector>

#include "data/data_examiner.h"
#include "kernels/gemm.h"
#include "kernels/packed_weights.h"
#include "train/optimizer_rules.h"
#include "train/validation_memory.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr std::size_t kWindowsAhead = 3;       // in use, ready, being made
constexpr std::size_t kPairOverhead = 64;      // bytes of a pair in a window beside its ids
constexpr std::size_t kLongestLook = 100'000;  // pairs
constexpr Index kMeasured = 600;               // labels: more are computed from these

/// The first kept pairs that have at most so many labels (or the first one); and tokens of a side, if a limit is given.
Batch first_pairs(const PairEncoder& encoder, Index labels, Index side_tokens = 0) {
  Batch piece;
  EncodedPair pair;
  const auto fits = [&] {
    const Index source = piece.source.tokens() + static_cast<Index>(pair.source.size());
    const Index target = piece.target.tokens() + static_cast<Index>(pair.target.size());
    return target <= labels && (side_tokens == 0 || std::max(source, target) <= side_tokens);
  };
  encoder.reproducibly(0, [&] {
    for (std::size_t i = 0; i < std::min(encoder.corpus().size(), kLongestLook); ++i) {
      if (!is_used(encoder.encode_filtered(i, pair))) continue;
      if (piece.count() > 0 && !fits()) break;
      piece.source.add(pair.source);
      piece.target.add(pair.target);
    }
  });
  return piece;
}

}  // namespace

MemoryEstimate estimate_weights(const Seq2Seq& model, const TrainOptions& options, bool validates) {
  MemoryEstimate estimate;
  const std::size_t numbers = model.params().size();
  const std::size_t moments = optimizer_rules().at(options.optimizer.type).moments(options.optimizer).size();
  const std::size_t means = options.checkpoints.average_last > 0 ? 3 : 0;  // a sum in double, and the mean
  const std::size_t ema = options.ema > 0 ? 1 : 0;
  const std::size_t copies = 1 + moments + ema + means + static_cast<std::size_t>(options.shards);
  estimate.parameters = copies * numbers * sizeof(Real);
  estimate.packed = PackedWeights(model.params(), true, precision_of(options.precision)).bytes() +
                    (validates ? PackedWeights(model.params(), false).bytes() : 0);
  return estimate;
}

MemoryEstimate estimate_memory(const Seq2Seq& model, const PairEncoder& encoder, const TrainOptions& options,
                               const DecodeOptions& decoding, const Corpus* dev, const Corpus* test, int threads) {
  MemoryEstimate estimate = estimate_weights(model, options, dev != nullptr || test != nullptr);
  const Index share = (options.batch_tokens + options.shards - 1) / options.shards;
  const Batch piece = first_pairs(encoder, std::min(share, kMeasured), options.piece_tokens);
  if (piece.count() == 0) return estimate;
  {
    std::vector<Real> gradient(model.params().size());
    const std::vector<std::uint64_t> sentences(static_cast<std::size_t>(piece.count()));
    Workspace workspace;
    model.forward_backward(model.values(), piece, {1, sentences}, options.label_smoothing, {gradient.data()},
                           workspace);
    const auto workers = static_cast<std::size_t>(std::min<Index>(threads, options.shards));
    double whole = static_cast<double>(share) / static_cast<double>(piece.labels());
    if (options.piece_tokens > 0) {
      const Index longer = std::max(piece.source.tokens(), piece.target.tokens());
      whole = std::min(whole, static_cast<double>(options.piece_tokens) / static_cast<double>(longer));
    }
    const auto measured = static_cast<double>(workspace.peak_bytes());
    estimate.activations = workers * (static_cast<std::size_t>(std::max(whole, 1.0) * measured) + product_bytes());
  }
  const auto count_validation = [&](const Corpus* text, Index beam_size) {
    if (text == nullptr) return;
    const ValidationMemory memory =
        validation_memory(model, encoder.with(*text), options.validation, decoding, beam_size);
    estimate.validation = std::max(estimate.validation, static_cast<std::size_t>(threads) * memory.bytes);
    estimate.longest_line = std::max(estimate.longest_line, memory.longest);
  };
  count_validation(dev, options.validation.beam_size);
  count_validation(test, decoding.beam_size);
  const std::size_t pair_bytes = static_cast<std::size_t>(piece.source.tokens() + piece.target.tokens()) *
                                     sizeof(TokenId) / static_cast<std::size_t>(piece.count()) +
                                 kPairOverhead;
  const std::size_t lines = encoder.corpus().size();
  const std::size_t windows = kWindowsAhead * static_cast<std::size_t>(options.window);
  estimate.batches = std::min(lines, windows) * pair_bytes;
  if (lines > kExamineAll) {  // in the first epoch the cache of encoded pairs fills up, and all pairs are examined
    const double pairs_of_update = static_cast<double>(options.accumulate * options.batch_tokens) *
                                   static_cast<double>(piece.count()) / static_cast<double>(piece.target.tokens());
    const double pairs = static_cast<double>(options.max_updates) * pairs_of_update + static_cast<double>(windows);
    const std::size_t seen =
        options.max_updates == 0 || pairs > static_cast<double>(lines) ? lines : static_cast<std::size_t>(pairs);
    const std::size_t order = sizeof(std::uint32_t);
    const std::size_t hashes = 2 * sizeof(std::uint64_t);
    estimate.batches += lines * (order + hashes) + std::min(seen * pair_bytes, PairEncoder::kDefaultCache);
  }
  return estimate;
}

}  // namespace DRAGOMAN_NAMESPACE
