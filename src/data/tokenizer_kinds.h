// The kinds of tokenizers, for the table in tokenizer.cpp only. `text` is not empty; `file` is for messages.
#pragma once

#include "data/tokenizer.h"

namespace dragoman {

using TokenizerPtr = std::shared_ptr<const Tokenizer>;

/// Subwords by SentencePiece (BPE or unigram) with its `identity` normalization. U+2581 in text means a space;
/// U+2585, which SentencePiece reserves, is not learned and becomes unk.
TokenizerPtr train_sentencepiece(const TokenizerOptions& options, const TrainingText& text,
                                 std::vector<std::string>* warnings);
TokenizerPtr load_sentencepiece(const std::string& serialized, const std::string& file);

/// Words between spaces (U+0020).
TokenizerPtr train_words(const TokenizerOptions& options, const TrainingText& text, std::vector<std::string>* warnings);
/// Code points, the space among them.
TokenizerPtr train_chars(const TokenizerOptions& options, const TrainingText& text, std::vector<std::string>* warnings);

/// The text of an unk: the next of the words given for them, else U+2047.
inline std::string take_unknown(std::span<const std::string>& words) {
  if (words.empty()) return "\u2047";
  const std::string word = words.front();
  words = words.subspan(1);
  return word;
}

class Vocabulary;
TokenizerPtr make_word_tokenizer(Vocabulary vocabulary);
TokenizerPtr make_char_tokenizer(Vocabulary vocabulary);

}  // namespace dragoman
