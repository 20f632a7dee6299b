#include <utility>

#include "core/utf8.h"
#include "data/tokenizer_kinds.h"
#include "data/vocabulary.h"

namespace dragoman {

namespace {

/// Bad UTF-8 counts as U+FFFD.
template <class Visit>
void for_each_char(std::string_view text, Visit visit) {
  std::string encoded;
  for (std::size_t pos = 0; pos < text.size();) {
    encoded.clear();
    append_utf8(encoded, decode_utf8(text, pos));
    visit(encoded);
  }
}

class CharTokenizer final : public Tokenizer {
 public:
  explicit CharTokenizer(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}

  std::vector<TokenId> encode(std::string_view text) const override {
    std::vector<TokenId> ids;
    for_each_char(text, [&](const std::string& c) { ids.push_back(vocabulary_.id(c)); });
    return ids;
  }

  std::string decode(std::span<const TokenId> ids) const override {
    std::string text;
    for (const TokenId id : ids) {
      if (id != kBos && id != kEos) text += id == kUnk ? "\u2047" : vocabulary_.piece(id);
    }
    return text;
  }

  std::size_t size() const override { return vocabulary_.size(); }
  std::string piece(TokenId id) const override { return vocabulary_.piece(id); }
  std::string serialize() const override { return vocabulary_.serialize("char"); }
  std::string extension() const override { return ".json"; }

 private:
  Vocabulary vocabulary_;
};

}  // namespace

TokenizerPtr make_char_tokenizer(Vocabulary vocabulary) {
  return std::make_shared<CharTokenizer>(std::move(vocabulary));
}

TokenizerPtr train_chars(const TokenizerOptions& options, const TrainingText& text, std::vector<std::string>*) {
  PieceCounts counts;
  for (std::size_t i = 0; i < text.size; ++i) {
    for_each_char(text.line(i), [&](const std::string& c) { ++counts[c]; });
  }
  return make_char_tokenizer(Vocabulary(counts, options.min_frequency, options.vocab_size));
}

}  // namespace dragoman
