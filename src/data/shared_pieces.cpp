#include "data/shared_pieces.h"

#include <string>
#include <unordered_map>

namespace dragoman {

std::vector<TokenId> shared_pieces(const Tokenizer& now, const Tokenizer& then) {
  constexpr TokenId kFirst = kEos + 1;  // a word may be spelled like a control token
  std::unordered_map<std::string, TokenId> ids;
  for (TokenId id = kFirst; static_cast<std::size_t>(id) < then.size(); ++id) ids.emplace(then.piece(id), id);
  std::vector<TokenId> from = {kUnk, kBos, kEos};
  for (TokenId id = kFirst; static_cast<std::size_t>(id) < now.size(); ++id) {
    const auto found = ids.find(now.piece(id));
    from.push_back(found == ids.end() ? -1 : found->second);
  }
  return from;
}

}  // namespace dragoman
