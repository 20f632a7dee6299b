// Token ids of several sentences, packed one behind the other without padding.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/real.h"

namespace dragoman {

/// A model that takes sentences of any length.
inline constexpr Index kNoLimit = std::numeric_limits<Index>::max();

/// Sentence i is ids[offset[i] .. offset[i + 1]).
struct Sentences {
  std::vector<TokenId> ids;
  std::vector<Index> offset{0};

  [[nodiscard]] Index count() const { return static_cast<Index>(offset.size()) - 1; }
  [[nodiscard]] Index tokens() const { return offset.back(); }
  [[nodiscard]] Index length(Index i) const { return offset[i + 1] - offset[i]; }
  [[nodiscard]] std::span<const TokenId> operator[](Index i) const {
    return {ids.data() + offset[i], static_cast<std::size_t>(length(i))};
  }
  void add(std::span<const TokenId> sentence) {
    ids.insert(ids.end(), sentence.begin(), sentence.end());
    offset.push_back(static_cast<Index>(ids.size()));
  }
  void clear() {
    ids.clear();
    offset.assign(1, 0);
  }
};

/// A micro-batch of sentence pairs. Both sides end in eos; the decoder's input (bos + pieces) is derived
/// from target (pieces + eos) by shifting. line[i] is the pair's line in the corpus, from 0.
struct Batch {
  Sentences source;
  Sentences target;
  std::vector<std::uint64_t> line;

  [[nodiscard]] Index count() const { return source.count(); }
  [[nodiscard]] Index labels() const { return target.tokens(); }
};

}  // namespace dragoman
