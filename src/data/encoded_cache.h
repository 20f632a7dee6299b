// Token ids of pairs that were encoded before, so that later epochs need no tokenizer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/real.h"
#include "data/corpus_report.h"

namespace dragoman {

/// Ids of both sides, each with eos at its end.
struct EncodedPair {
  std::size_t line = 0;  ///< the pair's number in the corpus
  std::vector<TokenId> source;
  std::vector<TokenId> target;
};

/// Only an aid: what doesn't fit is not kept, and nothing depends on whether a pair is found. May be used by
/// several threads at once. Memory: 8 bytes a line of the corpus, and at most max_bytes for ids.
class EncodedCache {
 public:
  EncodedCache(std::size_t lines, std::size_t max_bytes);

  /// False when pair i is not there.
  bool find(std::size_t i, EncodedPair& pair, PairFate& fate) const;
  /// The ids of dropped pairs are not stored. A second insertion of a pair does nothing.
  void insert(std::size_t i, const EncodedPair& pair, PairFate fate);

 private:
  std::size_t max_ids_;
  mutable std::mutex mutex_;
  std::vector<std::uint64_t> place_;  // of a pair's record in records_, plus 1; 0: not there
  std::vector<TokenId> records_;      // fate, length of source, length of target, source, target
};

}  // namespace dragoman
