#include "analysis/attention_entropy.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr Index kSentences = 1000;
constexpr Index kLongest = 1024;  // tokens a side of a batch

/// Sums over queries, for each map of a sentence in the order of the model.
struct Sums {
  std::vector<HeadEntropy> heads;
  std::vector<Index> queries;

  void add(const std::vector<AttentionMap>& maps);
  void add(const Sums& other);
};

void Sums::add(const std::vector<AttentionMap>& maps) {
  if (heads.empty()) {
    for (const AttentionMap& map : maps) heads.push_back({map.kind, map.layer, map.head});
    queries.resize(maps.size());
  }
  for (std::size_t m = 0; m < maps.size(); ++m) {
    const AttentionMap& map = maps[m];
    const bool causal = heads[m].kind == "decoder";  // query q sees the keys up to q
    for (Index q = causal ? 1 : 0; q < map.queries; ++q) {
      const Index keys = causal ? q + 1 : map.keys;
      if (keys < 2) continue;
      const Real* weights = map.weights.data() + q * map.keys;
      double entropy = 0;
      for (Index k = 0; k < keys; ++k) {
        const auto a = static_cast<double>(weights[k]);
        if (a > 0) entropy -= a * std::log(a);
      }
      heads[m].entropy += entropy / std::log(static_cast<double>(keys));
      heads[m].largest += static_cast<double>(*std::max_element(weights, weights + keys));
      ++queries[m];
    }
  }
}

void Sums::add(const Sums& other) {
  if (heads.empty()) {
    *this = other;
    return;
  }
  for (std::size_t m = 0; m < other.heads.size(); ++m) {
    heads[m].entropy += other.heads[m].entropy;
    heads[m].largest += other.heads[m].largest;
    queries[m] += other.queries[m];
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
  std::vector<Sums> sums(chosen.size());
  std::vector<Workspace> workspaces(static_cast<std::size_t>(max_threads()));
  parallel_for(static_cast<Index>(chosen.size()), [&](Index b, int worker) {
    if (stopped(stop)) return;
    workspaces[worker].reset();
    for (const std::vector<AttentionMap>& maps : model.attention(values, *chosen[b], workspaces[worker])) {
      sums[b].add(maps);
    }
  });
  Sums total;
  for (const Sums& some : sums) total.add(some);
  std::vector<HeadEntropy> heads;
  for (std::size_t m = 0; m < total.heads.size(); ++m) {
    if (total.queries[m] == 0) continue;
    HeadEntropy& head = heads.emplace_back(total.heads[m]);
    head.entropy /= static_cast<double>(total.queries[m]);
    head.largest /= static_cast<double>(total.queries[m]);
  }
  return heads;
}

}  // namespace DRAGOMAN_NAMESPACE
