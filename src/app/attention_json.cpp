#include "app/attention_json.h"

#include <nlohmann/json.hpp>

namespace dragoman {
namespace {

using Json = nlohmann::ordered_json;

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
      const auto row = map.weights.begin() + q * map.keys;
      weights.push_back(std::vector<Real>(row, row + map.keys));
    }
    list.push_back({{"kind", map.kind}, {"layer", map.layer}, {"head", map.head}, {"weights", weights}});
  }
  return Json{{"source", pieces(translation.source, *tokenizers.source)},
              {"target", pieces(translation.target, *tokenizers.target)},
              {"attention", list}}
      .dump();
}

}  // namespace dragoman
