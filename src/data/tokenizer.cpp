#include "data/tokenizer.h"

#include <utility>

#include "core/error.h"
#include "core/rng.h"
#include "data/clean.h"
#include "data/tokenizer_kinds.h"
#include "data/vocabulary.h"
#include "io/atomic_file.h"
#include "io/byte_stream.h"

namespace dragoman {

namespace {

constexpr std::size_t kMaxLines = 2'000'000;
constexpr std::size_t kMaxBytes = std::size_t{1} << 25;  // of a tokenizer's file; a million words have half of it

/// One line out of each of kMaxLines equal stretches.
TrainingText sample(const TrainingText& text, std::uint64_t seed) {
  const auto pick = [size = text.size, seed, line = text.line](std::size_t i) {
    const std::size_t begin = i * size / kMaxLines;
    const std::size_t end = (i + 1) * size / kMaxLines;
    Rng rng(hash_key({seed, hash_name("tokenizer lines"), i}));
    return line(begin + rng.below(end - begin));
  };
  return {kMaxLines, pick};
}

bool has_text(const TrainingText& text) {
  for (std::size_t i = 0; i < text.size; ++i) {
    if (!is_blank(text.line(i))) return true;
  }
  return false;
}

TokenizerPtr checked(TokenizerPtr tokenizer) {
  if (tokenizer->size() > kEos + 1) return tokenizer;
  throw UserError(
      "tokenizer: no word or character is left in the vocabulary; lower tokenizer.min_frequency or raise "
      "tokenizer.vocab_size");
}

}  // namespace

Table<TokenizerKind>& tokenizer_kinds() {
  static Table<TokenizerKind> table("tokenizer", {&kSentencePiece, &kWords, &kChars});
  return table;
}

std::vector<TokenId> Tokenizer::sample(std::string_view /*text*/, const SamplingOptions& /*options*/) const {
  CHECK(false, "this tokenizer samples no pieces");
  return {};
}

void Tokenizer::save(const std::filesystem::path& path) const { write_file_atomically(path.string(), serialize()); }

TokenizerPtr train_tokenizer(const TokenizerOptions& options, const TrainingText& text, std::uint64_t seed,
                             std::vector<std::string>* warnings) {
  const TokenizerKind& kind = tokenizer_kinds().at(options.type);
  if (!has_text(text)) throw UserError("tokenizer: the training text has no words to learn a vocabulary from");
  if (text.size <= kMaxLines) return checked(kind.train(options, text, warnings));
  if (warnings) {
    warnings->push_back("tokenizer: trained on " + std::to_string(kMaxLines) + " of " + std::to_string(text.size) +
                        " lines, a fixed sample");
  }
  return checked(kind.train(options, sample(text, seed), warnings));
}

TokenizerPtr load_tokenizer(const std::filesystem::path& path) {
  const std::string contents = read_small_file(path.string(), kMaxBytes);
  if (contents.empty()) throw UserError(path.string(), 0, "is empty, expected a tokenizer");
  if (contents[0] != '{') return load_sentencepiece(contents, path.string());
  std::string type;
  Vocabulary vocabulary = Vocabulary::parse(contents, path.string(), &type);
  const TokenizerKind* kind = tokenizer_kinds().find(type);
  if (kind == nullptr || kind->make == nullptr) {
    throw UserError(path.string(), 0, "has the unknown tokenizer type \"" + type + "\"");
  }
  if (vocabulary.size() <= kEos + 1) throw UserError(path.string(), 0, "is a vocabulary without any piece");
  return kind->make(std::move(vocabulary));
}

}  // namespace dragoman
