#include "train/step.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/profile.h"
#include "core/rng.h"
#include "kernels/finite.h"

namespace DRAGOMAN_NAMESPACE {
TrainStep::TrainStep(Seq2Seq& model, const TrainOptions& options, std::uint64_t seed)
    : model_(model),
      optimizer_(options.optimizer, model.params(), options.ema),
      precision_(precision_of(options.precision)),
      piece_tokens_(options.piece_tokens),
      label_smoothing_(options.label_smoothing),
      clip_norm_(options.clip_norm),
      seed_(seed),
      packed_(model.params(), true, precision_),
      shards_(static_cast<std::size_t>(options.shards)),
      workspaces_(static_cast<std::size_t>(max_threads())) {
  for (Shard& shard : shards_) shard.gradient.resize(model.params().size());
}

void TrainStep::accumulate(const Batch& batch, std::int64_t update) {
  if (sentences_seen_ == 0) packed_.repack(model_.values());
  const std::uint64_t key = hash_key({seed_, static_cast<std::uint64_t>(update), 0});
  parallel_for(static_cast<Index>(shards_.size()), [&](Index s, int worker) {
    const Profile::Scope profile(Part::other);
    run_shard(shards_[s], s, batch, key, workspaces_[worker]);
  });
  sentences_seen_ += static_cast<std::uint64_t>(batch.count());
}

void TrainStep::run_shard(Shard& shard, Index first, const Batch& batch, std::uint64_t key, Workspace& workspace) {
  const Values values = packed_.with(model_.values());
  const auto run_piece = [&] {
    if (shard.sentences.empty()) return;
    workspace.reset();
    shard.sums.add(model_.forward_backward(values, shard.piece, {key, shard.sentences}, label_smoothing_,
                                           {shard.gradient.data(), precision_}, workspace));
    shard.piece.source.clear();
    shard.piece.target.clear();
    shard.sentences.clear();
  };
  for (Index i = first; i < batch.count(); i += static_cast<Index>(shards_.size())) {
    const Index tokens = std::max(shard.piece.source.tokens() + static_cast<Index>(batch.source[i].size()),
                                  shard.piece.target.tokens() + static_cast<Index>(batch.target[i].size()));
    if (piece_tokens_ > 0 && tokens > piece_tokens_) run_piece();
    shard.piece.source.add(batch.source[i]);
    shard.piece.target.add(batch.target[i]);
    shard.sentences.push_back(sentences_seen_ + static_cast<std::uint64_t>(i));
  }
  run_piece();
}

double TrainStep::sum_shards() {
  const std::size_t size = model_.params().size();
  const auto ranges = static_cast<Index>((size + kRange - 1) / kRange);
  std::vector<double> squares(static_cast<std::size_t>(ranges));
  parallel_for(ranges, [&](Index r, int /*worker*/) {
    const Profile::Scope profile(Part::optimizer);
    const std::size_t begin = static_cast<std::size_t>(r) * kRange;
    const std::size_t end = std::min(begin + kRange, size);
    for (std::size_t step = 1; step < shards_.size(); step *= 2) {
      for (std::size_t s = 0; s + step < shards_.size(); s += 2 * step) {
        Real* to = shards_[s].gradient.data();
        Real* from = shards_[s + step].gradient.data();
        for (std::size_t i = begin; i < end; ++i) to[i] += from[i];
        std::fill(from + begin, from + end, Real(0));
      }
    }
    const Real* sum = shards_[0].gradient.data();
    double square = 0;
    for (std::size_t i = begin; i < end; ++i) square += static_cast<double>(sum[i]) * static_cast<double>(sum[i]);
    squares[r] = square;
  });
  double total = 0;
  for (const double square : squares) total += square;
  return total;
}

std::string TrainStep::first_bad(const Real* numbers) const {
  for (const Param& p : model_.params().params()) {
    if (!all_finite(numbers + p.ref.offset, static_cast<std::size_t>(p.ref.rows * p.ref.cols))) return p.name;
  }
  return {};
}

TrainStep::Result TrainStep::finish(std::int64_t update, double learning_rate) {
  Result result;
  for (Shard& shard : shards_) {
    result.sums.add(shard.sums);
    shard.sums = {};
  }
  sentences_seen_ = 0;
  std::vector<Real>& gradient = shards_[0].gradient;
  const double mean = 1 / static_cast<double>(std::max<Index>(result.sums.labels, 1));
  result.gradient_norm = std::sqrt(sum_shards()) * mean;
  const double clip = clip_norm_ > 0 && result.gradient_norm > clip_norm_ ? clip_norm_ / result.gradient_norm : 1;
  const auto applied = static_cast<Real>(result.gradient_norm * clip);
  if (!std::isfinite(result.sums.loss)) {
    result.problem = "the loss";  // whatever comes of it
  } else if (!std::isfinite(applied * applied)) {
    const std::string bad = first_bad(gradient.data());
    result.problem = bad.empty() ? "the square of the gradient's norm" : "the gradient of " + bad;
  }
  result.updated = result.problem.empty();
  if (result.updated &&
      !optimizer_.apply(update, learning_rate, gradient.data(), mean * clip, model_.params().data())) {
    result.problem = "parameter " + first_bad(model_.params().data()) + " after the update";
  }
  std::fill(gradient.begin(), gradient.end(), Real(0));
  return result;
}

}  // namespace DRAGOMAN_NAMESPACE
