// Text to text: cleaning, tokenizing, search, detokenizing. The same code serves `translate` and validation.
#pragma once

#include <string>
#include <vector>

#include "core/stop.h"
#include "data/encoding_guess.h"
#include "data/tokenizer_pair.h"
#include "decode/decode_options.h"
#include "models/seq2seq.h"

namespace DRAGOMAN_NAMESPACE {

/// What happened to single lines; numbers count from 1.
struct LineRemarks {
  std::vector<std::size_t> bad_utf8;      ///< bad sequences became U+FFFD
  Encoding encoding = Encoding::unknown;  ///< of the first of them that can be guessed
  std::vector<std::size_t> cut;           ///< cut at decoding.max_input pieces, or at what the model takes
};

struct Translation {
  std::string text;
  double log_prob = 0;
  double score = 0;
  std::vector<TokenId> source, target;  ///< pieces without eos
};

/// n lines in, n results out, in order. A line's result depends on that line alone: not on its neighbours, the
/// batch size or the number of threads. A line of blanks gives one empty translation.
class Translator {
 public:
  /// The model, whose current values are used, must outlive the translator. options.beam_size 1 is greedy search.
  Translator(const Seq2Seq& model, TokenizerPair tokenizers, DecodeOptions options, std::string normalization);

  /// Translations of each line, best first. first_line numbers the first line in remarks (may be null). When
  /// stopped the result is worthless.
  [[nodiscard]] std::vector<std::vector<Translation>> translate(const std::vector<std::string>& lines,
                                                                std::size_t first_line = 1,
                                                                LineRemarks* remarks = nullptr,
                                                                const StopCheck& stop = {}) const;

  /// One sentence a kind, with the first line numbers; empty when there is nothing to say.
  [[nodiscard]] std::vector<std::string> describe(const LineRemarks& remarks) const;

  /// Attention maps of a translation (its best hypothesis, teacher-forced), eos included on both sides.
  [[nodiscard]] std::vector<AttentionMap> attention(const Translation& translation) const;

 private:
  const Seq2Seq& model_;
  TokenizerPair tokenizers_;
  DecodeOptions options_;
  std::string normalization_;
  Index max_input_;  ///< pieces
};

}  // namespace DRAGOMAN_NAMESPACE
