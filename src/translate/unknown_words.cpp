#include "translate/unknown_words.h"

#include <algorithm>
#include <string_view>

#include "core/error.h"

namespace DRAGOMAN_NAMESPACE {

std::vector<std::string> attended_pieces(const std::vector<AttentionMap>& maps, std::span<const TokenId> target,
                                         const std::vector<std::string>& surfaces) {
  Index last = -1;
  for (const AttentionMap& map : maps) {
    if (std::string_view(map.kind) == "cross") last = std::max(last, map.layer);
  }
  CHECK(last >= 0 && !surfaces.empty(), "attended_pieces: needs attention and a source");
  std::vector<std::string> pieces;
  for (std::size_t query = 0; query < target.size(); ++query) {
    if (target[query] != kUnk) continue;
    std::vector<double> weights(surfaces.size());
    for (const AttentionMap& map : maps) {
      if (std::string_view(map.kind) != "cross" || map.layer != last) continue;
      const Real* row = map.weights.data() + static_cast<Index>(query) * map.keys;
      for (std::size_t key = 0; key < weights.size(); ++key) weights[key] += static_cast<double>(row[key]);
    }
    pieces.push_back(surfaces[std::max_element(weights.begin(), weights.end()) - weights.begin()]);
  }
  return pieces;
}

}  // namespace DRAGOMAN_NAMESPACE
