#include <algorithm>
#include <utility>

#include "core/utf8.h"
#include "data/tokenizer_kinds.h"
#include "data/vocabulary.h"

namespace dragoman {

namespace {

using Symbols = std::vector<std::string>;

/// The longest first, so that the first that fits is the longest.
Symbols by_length(std::span<const std::string> symbols) {
  Symbols sorted(symbols.begin(), symbols.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  return sorted;
}

/// Visits symbols as a whole, and what lies between by code points. Bad UTF-8 counts as U+FFFD.
template <class Visit>
void for_each_unit(std::string_view text, const Symbols& symbols, Visit visit) {
  std::string encoded;
  for (std::size_t pos = 0; pos < text.size();) {
    const auto symbol = std::find_if(symbols.begin(), symbols.end(),
                                     [&](const std::string& s) { return text.substr(pos).starts_with(s); });
    if (symbol != symbols.end()) {
      visit(*symbol);
      pos += symbol->size();
      continue;
    }
    encoded.clear();
    append_utf8(encoded, decode_utf8(text, pos));
    visit(encoded);
  }
}

class CharTokenizer final : public Tokenizer {
 public:
  explicit CharTokenizer(Vocabulary vocabulary)
      : vocabulary_(std::move(vocabulary)), symbols_(by_length(vocabulary_.symbols())) {}

  std::vector<TokenId> encode(std::string_view text) const override {
    std::vector<TokenId> ids;
    for_each_unit(text, symbols_, [&](const std::string& c) { ids.push_back(vocabulary_.id(c)); });
    return ids;
  }

  std::vector<std::string> surfaces(std::string_view text) const override {
    std::vector<std::string> units;
    for_each_unit(text, symbols_, [&](const std::string& c) { units.push_back(c); });
    return units;
  }

  std::string decode(std::span<const TokenId> ids, std::span<const std::string> unknown) const override {
    std::string text;
    for (const TokenId id : ids) {
      if (id != kBos && id != kEos) text += id == kUnk ? take_unknown(unknown) : vocabulary_.piece(id);
    }
    return text;
  }

  std::size_t size() const override { return vocabulary_.size(); }
  std::string piece(TokenId id) const override { return vocabulary_.piece(id); }
  std::string type() const override { return kChars.name; }
  std::string serialize() const override { return vocabulary_.serialize(type()); }
  std::string extension() const override { return kChars.extension(); }

 private:
  Vocabulary vocabulary_;
  Symbols symbols_;
};

TokenizerPtr make(Vocabulary vocabulary) { return std::make_shared<CharTokenizer>(std::move(vocabulary)); }

TokenizerPtr train(const TokenizerOptions& options, const TrainingText& text, std::vector<std::string>*) {
  PieceCounts counts;
  const Symbols symbols = by_length(options.user_defined_symbols);
  for (std::size_t i = 0; i < text.size; ++i) {
    for_each_unit(text.line(i), symbols, [&](const std::string& c) { ++counts[c]; });
  }
  return make(Vocabulary(std::move(counts), options.min_frequency, options.vocab_size, options.user_defined_symbols));
}

}  // namespace

const TokenizerKind kChars = {.name = "char", .train = train, .make = make};

}  // namespace dragoman
