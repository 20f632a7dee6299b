// How sharply a head of attention looks.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/real.h"

namespace dragoman {

/// Means over queries that may see n > 1 keys, whose weights are a_1 .. a_n.
struct HeadEntropy {
  std::string kind;  ///< encoder | decoder | cross
  Index layer = 0, head = 0;
  double entropy = 0;  ///< -sum a_j log a_j / log n: 0 looks at one key, 1 at all alike
  double largest = 0;  ///< the largest a_j
};

/// There is cross-attention and every head of it is uniform: the decoder can't tell the source's tokens apart.
inline bool ignores_source(const std::vector<HeadEntropy>& heads) {
  constexpr double kUniform = 0.99;
  const auto cross = [](const HeadEntropy& head) { return head.kind == "cross"; };
  return std::any_of(heads.begin(), heads.end(), cross) &&
         std::none_of(heads.begin(), heads.end(),
                      [&](const HeadEntropy& head) { return cross(head) && head.entropy <= kUniform; });
}

}  // namespace dragoman
