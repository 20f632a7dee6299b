// The plain structs behind the `data:` and `tokenizer:` sections of a configuration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// Either source and target (equally many files each) or tsv files with the pair in the first two columns.
struct ParallelFiles {
  std::vector<std::string> source;
  std::vector<std::string> target;
  std::vector<std::string> tsv;

  [[nodiscard]] bool empty() const { return source.empty() && target.empty() && tsv.empty(); }
};

struct DataOptions {
  ParallelFiles train;
  ParallelFiles dev;
  ParallelFiles test;
  std::size_t max_length = 100;         ///< pieces a side, without eos; training pairs only
  std::string on_long = "skip";         ///< skip | truncate
  std::string normalization = "clean";  ///< clean | none
  bool tsv_header = false;              ///< the first line of a tsv file is a header
};

/// Subword sampling of training text: each epoch sees other pieces of the same words.
struct SamplingOptions {
  /// 0: off. bpe: probability that a merge is left out (BPE-dropout, Provilkov et al. 2020, section 3); unigram:
  /// exponent of the probabilities with which one of all segmentations is drawn (Kudo 2018, section 3.2).
  double alpha = 0;
};

struct TokenizerOptions {
  std::string type = "sentencepiece";  ///< sentencepiece | word | char
  std::string model_type = "bpe";      ///< bpe | unigram
  std::size_t vocab_size = 8000;       ///< pieces including the control tokens; word and char: upper limit
  bool shared = true;                  ///< one vocabulary for both sides
  double character_coverage = 1.0;
  std::size_t min_frequency = 1;  ///< word and char: rarer types become unk
  SamplingOptions sampling;
  std::vector<std::string> user_defined_symbols;  ///< each is one piece, always in the vocabulary
  std::string model_file;                         ///< a ready tokenizer of this type (shared, or the source's)
  std::string target_model_file;                  ///< the target's, when not shared
};

}  // namespace dragoman
