#include <utility>

#include "data/tokenizer_kinds.h"
#include "data/vocabulary.h"

namespace dragoman {

namespace {

template <class Visit>
void for_each_word(std::string_view text, Visit visit) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) visit(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

class WordTokenizer final : public Tokenizer {
 public:
  explicit WordTokenizer(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}

  std::vector<TokenId> encode(std::string_view text) const override {
    std::vector<TokenId> ids;
    for_each_word(text, [&](std::string_view word) { ids.push_back(vocabulary_.id(word)); });
    return ids;
  }

  std::vector<std::string> surfaces(std::string_view text) const override {
    std::vector<std::string> words;
    for_each_word(text, [&](std::string_view word) { words.emplace_back(word); });
    return words;
  }

  std::string decode(std::span<const TokenId> ids, std::span<const std::string> unknown) const override {
    std::string text;
    bool first = true;
    for (const TokenId id : ids) {
      if (id == kBos || id == kEos) continue;
      if (!first) text += ' ';
      first = false;
      text += id == kUnk ? take_unknown(unknown) : vocabulary_.piece(id);
    }
    return text;
  }

  std::size_t size() const override { return vocabulary_.size(); }
  std::string piece(TokenId id) const override { return vocabulary_.piece(id); }
  std::string type() const override { return kWords.name; }
  std::string serialize() const override { return vocabulary_.serialize(type()); }
  std::string extension() const override { return kWords.extension(); }

 private:
  Vocabulary vocabulary_;
};

TokenizerPtr make(Vocabulary vocabulary) { return std::make_shared<WordTokenizer>(std::move(vocabulary)); }

TokenizerPtr train(const TokenizerOptions& options, const TrainingText& text, std::vector<std::string>*) {
  PieceCounts counts;
  for (std::size_t i = 0; i < text.size; ++i) {
    for_each_word(text.line(i), [&](std::string_view word) {
      const auto found = counts.find(word);
      if (found != counts.end()) {
        ++found->second;
      } else {
        counts.emplace(word, 1);
      }
    });
  }
  return make(Vocabulary(std::move(counts), options.min_frequency, options.vocab_size, options.user_defined_symbols));
}

}  // namespace

const TokenizerKind kWords = {.name = "word", .train = train, .make = make};

}  // namespace dragoman
