// Vocabularies of word and character tokenizers (JSON).
#include "data/tokenizer.h"
#include "data/vocabulary.h"
#include "support.h"

using namespace dragoman;

namespace {

void check_vocabulary(const std::string& text) {
  std::string type;
  const Vocabulary vocabulary = Vocabulary::parse(text, "input", &type);
  const std::string stored = vocabulary.serialize(type);
  std::string again;
  fuzz::require(Vocabulary::parse(stored, "stored", &again).serialize(again) == stored && again == type,
                "stored and read again it is the same");
  for (std::size_t i = 3; i < vocabulary.size(); ++i) {
    const auto id = static_cast<TokenId>(i);
    fuzz::require(vocabulary.id(vocabulary.piece(id)) == id, "a piece has its own id");
  }
}

void check_tokenizer(const std::string& path) {
  const auto tokenizer = load_tokenizer(path);
  std::vector<TokenId> all;
  for (std::size_t i = 0; i < tokenizer->size(); ++i) all.push_back(static_cast<TokenId>(i));
  fuzz::require(tokenizer->decode(all).find('\n') == std::string::npos, "decoded text is one line");
  for (const TokenId id : tokenizer->encode(tokenizer->decode(all) + " a </s> \xff")) {
    fuzz::require(id >= 0 && static_cast<std::size_t>(id) < tokenizer->size() && id != 1 && id != 2,
                  "text has ids of text");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  const std::string text(data, size);
  fuzz::accepted("input: ", [&] { check_vocabulary(text); });
  if (!text.starts_with('{')) return 0;  // else SentencePiece reads it: see tokenizer_fuzz.cpp
  const fuzz::MemoryFile file(text);
  fuzz::accepted(file.path(), [&] { check_tokenizer(file.path()); });
  return 0;
}
