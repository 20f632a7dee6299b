// The table of tokenizers: how each is trained, and made again from its file.
#pragma once

#include "core/table.h"
#include "data/tokenizer.h"

namespace dragoman {

using TokenizerPtr = std::shared_ptr<const Tokenizer>;
class Vocabulary;

struct TokenizerKind {
  const char* name;
  /// It cuts words into pieces by a model of them, and can draw other cuts (reads model_type, character_coverage and
  /// sampling); else its units are given, and the frequent ones are its vocabulary (reads min_frequency).
  bool subwords = false;
  /// `text` is not empty; remarks for the user are appended to *warnings (may be null).
  TokenizerPtr (*train)(const TokenizerOptions& options, const TrainingText& text,
                        std::vector<std::string>* warnings) = nullptr;
  /// Of a vocabulary in JSON that has its name (vocabulary.h). Null: its file is SentencePiece's.
  TokenizerPtr (*make)(Vocabulary vocabulary) = nullptr;

  /// Of its file.
  [[nodiscard]] const char* extension() const { return make == nullptr ? ".model" : ".json"; }
};

/// Subwords by SentencePiece (BPE or unigram) with its `identity` normalization. U+2581 in text means a space;
/// U+2585, which SentencePiece reserves, is not learned and becomes unk.
extern const TokenizerKind kSentencePiece;
extern const TokenizerKind kWords;  ///< between spaces (U+0020)
extern const TokenizerKind kChars;  ///< code points, the space among them

Table<TokenizerKind>& tokenizer_kinds();

/// SentencePiece's file; `file` is for messages.
TokenizerPtr load_sentencepiece(const std::string& serialized, const std::string& file);

/// The text of an unk: the next of the words given for them, else U+2047.
inline std::string take_unknown(std::span<const std::string>& words) {
  if (words.empty()) return "\u2047";
  std::string word = words.front();
  words = words.subspan(1);
  return word;
}

}  // namespace dragoman
