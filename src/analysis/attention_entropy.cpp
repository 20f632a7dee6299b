#include "analysis/attention_entropy.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr Index kSentences = 1000;
constexpr Index kLongest = 1024;  // tokens a side of a batch

/// Sums over the queries of a head.
struct Sums {
  HeadEntropy head;
  Index queries = 0;
};

void add(const HeadWeights& map, Sums& sums) {
  const bool causal = sums.head.kind == "decoder";  // query q sees the keys up to q
  for (Index q = causal ? 1 : 0; q < map.weights.rows; ++q) {
    const Index keys = causal ? q + 1 : map.weights.cols;
    if (keys < 2) continue;
    const Real* weights = map.weights.row(q);
    double entropy = 0;
    for (Index k = 0; k < keys; ++k) {
      const auto a = static_cast<double>(weights[k]);
      if (a > 0) entropy -= a * std::log(a);
    }
    sums.head.entropy += entropy / std::log(static_cast<double>(keys));
    sums.head.largest += static_cast<double>(*std::max_element(weights, weights + keys));
    ++sums.queries;
  }
}

/// Of all heads of a batch, in the model's order, which is that of each of its sentences.
std::vector<Sums> sums_of(const Seq2Seq& model, Values values, const Batch& batch, Workspace& workspace) {
  std::vector<Sums> sums;
  std::size_t next = 0;
  model.visit_attention(values, batch, workspace, [&](Index sentence, const HeadWeights& map) {
    if (sentence == 0) sums.push_back({{map.kind, map.layer, map.head}, 0});
    add(map, sums[next++ % sums.size()]);
  });
  return sums;
}

void add(const std::vector<Sums>& from, std::vector<Sums>& to) {
  if (to.empty()) to.resize(from.size());
  for (std::size_t m = 0; m < from.size(); ++m) {
    const HeadEntropy& head = from[m].head;
    to[m].head = {head.kind, head.layer, head.head, to[m].head.entropy + head.entropy,
                  to[m].head.largest + head.largest};
    to[m].queries += from[m].queries;
  }
}

}  // namespace

bool has_entropy(const Batch& batch) { return std::max(batch.source.tokens(), batch.target.tokens()) <= kLongest; }

std::vector<HeadEntropy> attention_entropy(const Seq2Seq& model, Values values, const std::vector<Batch>& batches,
                                           const StopCheck& stop) {
  std::vector<const Batch*> chosen;
  Index sentences = 0;
  for (const Batch& batch : batches) {
    if (sentences >= kSentences) break;
    if (!has_entropy(batch)) continue;
    chosen.push_back(&batch);
    sentences += batch.count();
  }
  std::vector<std::vector<Sums>> sums(chosen.size());
  std::vector<Workspace> workspaces(static_cast<std::size_t>(max_threads()));
  parallel_for(static_cast<Index>(chosen.size()), [&](Index b, int worker) {
    if (stopped(stop)) return;
    workspaces[worker].reset();
    sums[b] = sums_of(model, values, *chosen[b], workspaces[worker]);
  });
  std::vector<Sums> total;
  for (const std::vector<Sums>& some : sums) add(some, total);
  std::vector<HeadEntropy> heads;
  for (const Sums& sum : total) {
    if (sum.queries == 0) continue;
    HeadEntropy& head = heads.emplace_back(sum.head);
    head.entropy /= static_cast<double>(sum.queries);
    head.largest /= static_cast<double>(sum.queries);
  }
  return heads;
}

}  // namespace DRAGOMAN_NAMESPACE
