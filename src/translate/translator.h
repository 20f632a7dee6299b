// Text to text: cleaning, tokenizing, search, detokenizing. The same code serves `translate` and validation.
#pragma once

#include <string>
#include <vector>

#include "core/stop.h"
#include "data/encoding_guess.h"
#include "data/tokenizer_pair.h"
#include "decode/decode_options.h"
#include "models/seq2seq.h"
#include "translate/line_remarks.h"

namespace DRAGOMAN_NAMESPACE {

struct Translation {
  std::string text;
  double log_prob = 0;
  double score = 0;
  std::vector<TokenId> source, target;  ///< pieces without eos
  bool cut = false;                     ///< by the length cap
};

/// n lines in, n results out, in order. A line's result depends on that line alone: not on its neighbours, the
/// batch size or the number of threads. A line of blanks gives one empty translation.
class Translator {
 public:
  /// The model, whose current values are used, must outlive the translator. options.beam_size 1 is greedy search.
  /// n_best > 1 (at most the beam size): so many translations of different text, as far as they are found.
  Translator(const Seq2Seq& model, TokenizerPair tokenizers, DecodeOptions options, std::string normalization,
             Index n_best = 1);

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
  /// A line, tokenized.
  struct Source {
    std::vector<TokenId> pieces;
    std::vector<std::string> surfaces;  ///< for options.replace_unknown
    bool bad_utf8 = false, cut = false;
    Encoding encoding = Encoding::unknown;  ///< of what is bad
  };
  [[nodiscard]] Source read(const std::string& line) const;
  void remark(const std::vector<Source>& sources, const std::vector<std::vector<Translation>>& results,
              std::size_t first_line, LineRemarks& remarks) const;
  [[nodiscard]] std::string text_of(const Source& source, const std::vector<TokenId>& ids, Workspace& workspace) const;
  [[nodiscard]] std::vector<AttentionMap> attention(const std::vector<TokenId>& source,
                                                    const std::vector<TokenId>& target, Workspace& workspace) const;

  const Seq2Seq& model_;
  TokenizerPair tokenizers_;
  DecodeOptions options_;
  std::string normalization_;
  RemarkLimits limits_;
  std::vector<char> barred_;  ///< by id: control tokens of the target vocabulary
};

}  // namespace DRAGOMAN_NAMESPACE
