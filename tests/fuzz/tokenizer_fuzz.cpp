// SentencePiece models. The input is a list of changes to a small model that is trained at the start: three bytes each,
// a place (two bytes) and what stands there; a last odd byte cuts the model so many bytes before its end.
#include <cstdint>

#include "data/tokenizer.h"
#include "support.h"

using namespace dragoman;

namespace {

std::string trained_model() {
  TokenizerOptions options;
  options.type = "sentencepiece";
  options.vocab_size = 40;
  const std::vector<std::string> lines = {"the cat sees the dog", "the dogs see a cat", "a bird sings, she sees it"};
  return train_tokenizer(options, {lines.size(), [&](std::size_t i) { return lines[i]; }}, 1, nullptr)->serialize();
}

void check_tokenizer(const std::string& path) {
  const auto tokenizer = load_tokenizer(path);
  std::vector<TokenId> all;
  for (std::size_t i = 0; i < tokenizer->size(); ++i) {
    all.push_back(static_cast<TokenId>(i));
    (void)tokenizer->piece(all.back());
  }
  fuzz::require(tokenizer->decode(all).find('\n') == std::string::npos, "decoded text is one line");
  for (const std::string text : {"the cat, the dogs", "", " ", "\xff<s>\u00fc </s>\u2581\u2581"}) {
    for (const TokenId id : tokenizer->encode(text)) {
      fuzz::require(id >= 0 && static_cast<std::size_t>(id) < tokenizer->size() && id != 1 && id != 2,
                    "text has ids of text");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string trained = trained_model();
  std::string model = trained;
  for (std::size_t i = 0; i + 3 <= size; i += 3) {
    model[(data[i] * 256U + data[i + 1]) % model.size()] = static_cast<char>(data[i + 2]);
  }
  if (size % 3 == 1) model.resize(model.size() - std::min<std::size_t>(data[size - 1], model.size()));
  const fuzz::MemoryFile file(model);
  fuzz::accepted("", [&] { check_tokenizer(file.path()); });
  return 0;
}
