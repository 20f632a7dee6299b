#include "translate/scorer.h"

#include "core/error.h"
#include "core/parallel.h"
#include "kernels/packed_weights.h"

namespace DRAGOMAN_NAMESPACE {

namespace {

void check_length(const std::string& where, const std::string& side, Index pieces, Index limit, const char* key) {
  if (pieces <= limit) return;
  throw UserError(where + ": the " + side + " has " + std::to_string(pieces) + " pieces, expected at most " +
                  std::to_string(limit) + " (" + key + "); shorten the line");
}

}  // namespace

void check_lengths(const Seq2Seq& model, const std::vector<Batch>& batches, const Corpus& corpus, Index max_input) {
  for (const Batch& batch : batches) {
    for (Index i = 0; i < batch.count(); ++i) {
      const std::string where = corpus.where(batch.line[static_cast<std::size_t>(i)]);
      const Index source = batch.source.length(i) - 1;
      check_length(where, "source", source, max_input, "decoding.max_input");
      check_length(where, "source", source, model.max_source_tokens() - 1, "model.encoder.max_positions - 1");
      check_length(where, "target", batch.target.length(i) - 1, model.max_target_tokens() - 1,
                   "model.decoder.max_positions - 1");
    }
  }
}

LossSums evaluate_batches(const Seq2Seq& model, const std::vector<Batch>& batches, double smoothing,
                          std::vector<PairScore>* pair_scores, const StopCheck& stop) {
  std::vector<LossSums> sums(batches.size());
  std::vector<std::vector<double>> log_probs(batches.size());
  std::vector<Workspace> workspaces(static_cast<std::size_t>(max_threads()));
  PackedWeights packed(model.params(), false);  // the same bits: recurrent layers would pack at each step
  packed.repack(model.values());
  const Values values = packed.with(model.values());
  parallel_for(static_cast<Index>(batches.size()), [&](Index b, int worker) {
    if (stopped(stop)) return;
    workspaces[worker].reset();
    if (pair_scores != nullptr) log_probs[b].resize(static_cast<std::size_t>(batches[b].labels()));
    sums[b] = model.evaluate(values, batches[b], smoothing, log_probs[b], workspaces[worker]);
  });
  LossSums total;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    total.add(sums[b]);
    if (pair_scores == nullptr) continue;
    const Sentences& target = batches[b].target;
    for (Index i = 0; i < target.count(); ++i) {
      PairScore score{0, target.length(i)};
      for (Index row = target.offset[i]; row < target.offset[i + 1]; ++row) score.log_prob += log_probs[b][row];
      pair_scores->push_back(score);
    }
  }
  return total;
}

}  // namespace DRAGOMAN_NAMESPACE
