#include "translate/scorer.h"

#include "core/parallel.h"

namespace DRAGOMAN_NAMESPACE {

LossSums evaluate_batches(const Seq2Seq& model, const std::vector<Batch>& batches, double smoothing,
                          std::vector<PairScore>* pair_scores) {
  std::vector<LossSums> sums(batches.size());
  std::vector<std::vector<double>> log_probs(batches.size());
  std::vector<Workspace> workspaces(static_cast<std::size_t>(max_threads()));
  parallel_for(static_cast<Index>(batches.size()), [&](Index b, int worker) {
    workspaces[worker].reset();
    if (pair_scores != nullptr) log_probs[b].resize(static_cast<std::size_t>(batches[b].labels()));
    sums[b] = model.evaluate(model.values(), batches[b], smoothing, log_probs[b], workspaces[worker]);
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
