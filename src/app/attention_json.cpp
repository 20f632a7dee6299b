#include "app/attention_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace dragoman {
namespace {

using Json = nlohmann::ordered_json;
constexpr double kPrecision = 1e6;  // weights are written to six decimals

Json pieces(const std::vector<TokenId>& ids, const Tokenizer& tokenizer) {
  Json list = Json::array();
  for (const TokenId id : ids) list.push_back(tokenizer.piece(id));
  list.push_back(tokenizer.piece(kEos));
  return list;
}

}  // namespace

std::string attention_json(const Translation& translation, const std::vector<AttentionMap>& maps,
                           const TokenizerPair& tokenizers) {
  Json list = Json::array();
  for (const AttentionMap& map : maps) {
    Json weights = Json::array();
    for (Index q = 0; q < map.queries; ++q) {
      std::vector<double> row;
      for (Index k = 0; k < map.keys; ++k) {
        const auto weight = static_cast<double>(map.weights[static_cast<std::size_t>(q * map.keys + k)]);
        row.push_back(std::round(weight * kPrecision) / kPrecision);
      }
      weights.push_back(row);
    }
    list.push_back({{"kind", map.kind}, {"layer", map.layer}, {"head", map.head}, {"weights", weights}});
  }
  return Json{{"source", pieces(translation.source, *tokenizers.source)},
              {"target", pieces(translation.target, *tokenizers.target)},
              {"attention", list}}
      .dump();
}

}  // namespace dragoman
