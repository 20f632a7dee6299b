// Hashes that stand for the text of pairs.
#pragma once

#include <cstdint>

#include "core/rng.h"
#include "data/pair_encoder.h"

namespace dragoman {

/// 64 bits each: among ten million different texts two are taken for one with a probability of 5 in a million.
struct PairHash {
  std::uint64_t source;
  std::uint64_t pair;  ///< never 0

  explicit PairHash(const PairText& text)
      : source(hash_name(text.source)), pair(hash_key({source, hash_name(text.target)}) | 1) {}
};

}  // namespace dragoman
