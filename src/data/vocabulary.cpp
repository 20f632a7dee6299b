#include "data/vocabulary.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"

namespace dragoman {

namespace {
constexpr std::uint64_t kFormat = 2;  // 1: without user-defined symbols
}

Vocabulary::Vocabulary(std::vector<std::string> pieces, std::size_t symbols)
    : pieces_(std::move(pieces)), symbols_(symbols) {
  index();
}

Vocabulary::Vocabulary(PieceCounts counts, std::size_t min_frequency, std::size_t max_size,
                       const std::vector<std::string>& symbols)
    : pieces_(symbols), symbols_(symbols.size()) {
  if (symbols.size() + kControls > max_size) {
    throw UserError("tokenizer.vocab_size: found " + std::to_string(max_size) + ", expected at least " +
                    std::to_string(symbols.size() + kControls) +
                    " for the control tokens and tokenizer.user_defined_symbols");
  }
  for (const std::string& symbol : symbols) counts.erase(symbol);
  using Entry = std::pair<std::string, std::uint64_t>;
  std::vector<Entry> entries;
  for (const auto& [piece, count] : counts) {
    if (count >= min_frequency) entries.emplace_back(piece, count);
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  const std::size_t room = max_size - kControls - symbols_;
  if (entries.size() > room) entries.resize(room);
  for (Entry& entry : entries) pieces_.push_back(std::move(entry.first));
  index();
}

void Vocabulary::index() {
  ids_.reserve(pieces_.size());
  for (std::size_t i = 0; i < pieces_.size(); ++i) ids_.emplace(pieces_[i], static_cast<TokenId>(i + kControls));
}

TokenId Vocabulary::id(std::string_view piece) const {
  const auto found = ids_.find(piece);
  return found == ids_.end() ? kUnk : found->second;
}

const std::string& Vocabulary::piece(TokenId id) const {
  static const std::string kNames[kControls] = {"<unk>", "<s>", "</s>"};
  CHECK(id >= 0 && static_cast<std::size_t>(id) < size(), "token id " + std::to_string(id));
  const auto i = static_cast<std::size_t>(id);
  return i < kControls ? kNames[i] : pieces_[i - kControls];
}

std::string Vocabulary::serialize(const std::string& type) const {
  nlohmann::ordered_json json;
  json["format"] = symbols_ == 0 ? 1 : kFormat;
  json["type"] = type;
  if (symbols_ > 0) json["symbols"] = symbols_;
  json["pieces"] = pieces_;
  return json.dump(0) + "\n";
}

Vocabulary Vocabulary::parse(const std::string& text, const std::string& file, std::string* type) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) throw UserError(file, 0, "is not a vocabulary: not valid JSON");
  try {
    const auto& format = json.at("format");
    if (!format.is_number_unsigned() || format.get<std::uint64_t>() == 0) {
      throw UserError(file, 0, "is not a vocabulary: its format is not a number from 1 up");
    }
    if (format.get<std::uint64_t>() > kFormat) {
      throw UserError(
          file, 0, "has format " + format.dump() + ", newer than this program reads (" + std::to_string(kFormat) + ")");
    }
    *type = json.at("type").get<std::string>();
    Vocabulary vocabulary(json.at("pieces").get<std::vector<std::string>>());
    if (format.get<std::uint64_t>() > 1) {
      const auto& symbols = json.at("symbols");
      if (!symbols.is_number_unsigned() || symbols.get<std::uint64_t>() > vocabulary.pieces_.size()) {
        throw UserError(file, 0, "is not a vocabulary: symbols is not a number of its pieces");
      }
      vocabulary.symbols_ = symbols.get<std::size_t>();
    }
    for (const std::string& symbol : vocabulary.symbols()) {
      if (symbol.empty()) throw UserError(file, 0, "is not a vocabulary: a symbol is empty");
    }
    if (vocabulary.ids_.size() != vocabulary.pieces_.size()) {
      throw UserError(file, 0, "is not a vocabulary: a piece occurs twice");
    }
    for (const std::string& piece : vocabulary.pieces_) {
      // A translation of one line must be one line.
      if (piece.find('\n') != std::string::npos)
        throw UserError(file, 0, "is not a vocabulary: a piece has a line feed");
    }
    return vocabulary;
  } catch (const nlohmann::json::exception&) {
    throw UserError(file, 0, "is not a vocabulary: expected a format, a type and a list of pieces");
  }
}

}  // namespace dragoman
