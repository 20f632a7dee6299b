// One training update on all threads: shards, gradients, their sum, clipping, optimizer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/packed_weights.h"
#include "models/seq2seq.h"
#include "train/optimizer.h"

namespace DRAGOMAN_NAMESPACE {

/// A micro-batch is cut into a fixed number of shards (sentence i goes to shard i mod S); each shard runs forward
/// and backward serially, a piece of its sentences after the other, into its own gradient buffer, which adds up over
/// the micro-batches of an update; the buffers are summed in a fixed binary tree. So the number of threads never
/// changes a bit.
class TrainStep {
 public:
  static constexpr std::size_t kRange = std::size_t{1} << 14;  ///< numbers that one thread sums at a time

  TrainStep(Seq2Seq& model, const TrainOptions& options, std::uint64_t seed);

  /// Adds the gradient of one micro-batch to the update number `update` (from 1).
  void accumulate(const Batch& batch, std::int64_t update);

  struct Result {
    LossSums sums;
    double gradient_norm = 0;  ///< of the mean loss per label, before clipping
    /// What is not finite (or has no finite square, which second moments need): "the loss", "the gradient of NAME",
    /// "parameter NAME after the update"; empty: nothing.
    std::string problem;
    bool updated = true;  ///< false: there was a problem before anything was changed
  };
  /// Sums, clips, updates the model, and forgets the gradients.
  Result finish(std::int64_t update, double learning_rate);

  [[nodiscard]] Optimizer& optimizer() { return optimizer_; }

 private:
  struct Shard {
    Batch piece;
    std::vector<std::uint64_t> sentences;  ///< of the piece: their places in the update
    std::vector<Real> gradient;
    LossSums sums;
  };

  /// Forward and backward of sentences first, first + S, ... of the batch.
  void run_shard(Shard& shard, Index first, const Batch& batch, std::uint64_t key, Workspace& workspace);
  /// The first parameter with a number in this buffer (of the parameters' layout) that is not finite; empty: none.
  [[nodiscard]] std::string first_bad(const Real* numbers) const;
  /// Sums the shards' buffers into the first, clears the others, returns the squared norm.
  double sum_shards();

  Seq2Seq& model_;
  Optimizer optimizer_;
  Precision precision_;
  Index piece_tokens_;
  double label_smoothing_, clip_norm_;
  std::uint64_t seed_;
  PackedWeights packed_;  ///< of the update's values
  std::vector<Shard> shards_;
  std::vector<Workspace> workspaces_;  ///< one a thread
  std::uint64_t sentences_seen_ = 0;   ///< in this update
};

}  // namespace DRAGOMAN_NAMESPACE
