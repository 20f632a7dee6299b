// Searches as plain as can be, for comparison: every probability is teacher-forced anew. One sentence; the cap is
// max_length_extra.
#pragma once

#include <algorithm>
#include <vector>

#include "decode/search_rules.h"
#include "support/search_case.h"

namespace DRAGOMAN_NAMESPACE {

/// Every translation that the rules allow, best first.
inline std::vector<Hypothesis> enumerate(const Seq2Seq& model, const Sentences& source, const DecodeOptions& options) {
  std::vector<Hypothesis> all;
  std::vector<std::vector<TokenId>> prefixes = {{}};
  for (Index pieces = 0; pieces <= options.max_length_extra; ++pieces) {
    std::vector<std::vector<TokenId>> longer;
    for (const std::vector<TokenId>& prefix : prefixes) {
      if (pieces >= options.min_length) {
        const double log_prob = forced_log_prob(model, source, prefix);
        all.push_back({prefix, log_prob, log_prob / length_penalty(options, pieces + 1)});
      }
      for (TokenId id = 0; id < model.target_vocabulary(); ++id) {
        if (id == kBos || id == kEos || (id == kUnk && !options.allow_unknown)) continue;
        longer.push_back(prefix);
        longer.back().push_back(id);
      }
    }
    prefixes = longer;
  }
  std::sort(all.begin(), all.end(), [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  return all;
}

/// The rules of beam.h word for word, slowly: everything is sorted, and every probability is teacher-forced anew.
inline std::vector<Hypothesis> slow_beam(const Seq2Seq& model, const Sentences& source, const DecodeOptions& options) {
  const auto k = static_cast<std::size_t>(options.beam_size);
  std::vector<Hypothesis> live = {{}}, finished;
  for (Index pieces = 0; !live.empty() && finished.size() < k; ++pieces) {
    std::vector<Hypothesis> all;  // an id that ends a hypothesis is still in its list
    for (const Hypothesis& h : live) {
      const std::vector<double> next = next_log_probs(model, source, h.ids);
      for (TokenId id = 0; id < model.target_vocabulary(); ++id) {
        if (!allowed(options, {}, id, pieces, options.max_length_extra)) continue;
        all.push_back({h.ids, h.log_prob + next[id]});
        all.back().ids.push_back(id);
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.log_prob > b.log_prob; });
    if (all.size() > 2 * k) all.resize(2 * k);
    live.clear();
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      Hypothesis h = all[rank];
      if (h.ids.back() != kEos) {
        if (live.size() < k) live.push_back(h);
      } else if (rank < k) {
        h.ids.pop_back();
        h.score = h.log_prob / length_penalty(options, pieces + 1);
        finished.push_back(h);
      }
    }
  }
  std::stable_sort(finished.begin(), finished.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  if (finished.size() > k) finished.resize(k);
  return finished;
}

}  // namespace DRAGOMAN_NAMESPACE
