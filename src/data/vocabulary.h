// A list of pieces with ids from 3 on, for word and character tokenizers. The control tokens are not in the
// list, so that a word spelled "</s>" is a word like any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/real.h"

namespace dragoman {

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
};

using PieceCounts = std::unordered_map<std::string, std::uint64_t, StringHash, std::equal_to<>>;

class Vocabulary {
 public:
  /// The first `symbols` pieces are user-defined symbols.
  explicit Vocabulary(std::vector<std::string> pieces, std::size_t symbols = 0);
  /// User-defined symbols, then the most frequent pieces, equally frequent ones by their bytes; those with at least
  /// `min_frequency`, as many as fit into `max_size` ids with the control tokens. UserError: the symbols don't fit.
  Vocabulary(PieceCounts counts, std::size_t min_frequency, std::size_t max_size,
             const std::vector<std::string>& symbols = {});

  [[nodiscard]] std::size_t size() const { return pieces_.size() + kControls; }
  /// kUnk when not in the list.
  [[nodiscard]] TokenId id(std::string_view piece) const;
  /// Also of control tokens: "<unk>", "<s>", "</s>".
  [[nodiscard]] const std::string& piece(TokenId id) const;

  [[nodiscard]] std::span<const std::string> symbols() const { return {pieces_.data(), symbols_}; }

  /// JSON: {"format": 1, "type": type, "pieces": [...]}; with symbols {"format": 2, ..., "symbols": how many, ...}.
  [[nodiscard]] std::string serialize(const std::string& type) const;
  /// Raises UserError naming `file`; *type is what was stored.
  static Vocabulary parse(const std::string& text, const std::string& file, std::string* type);

 private:
  static constexpr std::size_t kControls = 3;
  void index();

  std::vector<std::string> pieces_;
  std::size_t symbols_ = 0;
  std::unordered_map<std::string, TokenId, StringHash, std::equal_to<>> ids_;
};

}  // namespace dragoman
