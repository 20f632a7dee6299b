// From a pair of lines to token ids: cleaning, tokenizing, filtering.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/batch.h"
#include "data/clean.h"
#include "data/corpus.h"
#include "data/corpus_report.h"
#include "data/encoded_cache.h"
#include "data/tokenizer_pair.h"

namespace dragoman {

/// Which training pairs are used; the fields are those of DataOptions.
struct FilterOptions {
  std::size_t max_length = 100;
  std::string on_long = "skip";
  std::string normalization = "clean";
  SamplingOptions sampling = {};
};

/// The lines of a pair, cleaned, and what was seen in them before (source, target).
struct PairText {
  std::string source;
  std::string target;
  std::array<CleaningChanges, 2> changes{};
  std::array<bool, 2> mojibake{};
};

/// Refers to the corpus, which must live longer. Const methods may be called by several threads. Copies share one
/// cache of encoded training pairs; with subword sampling there is none.
class PairEncoder {
 public:
  static constexpr std::size_t kDefaultCache = std::size_t{1} << 28;

  PairEncoder(const Corpus& corpus, TokenizerPair tokenizers, FilterOptions options,
              std::size_t cache_bytes = kDefaultCache);

  /// Training, with sampled pieces if sampling is on: fills `pair` when the fate is kept or truncated, and then
  /// *text too (may be null).
  PairFate encode_filtered(std::size_t i, EncodedPair& pair, PairText* text = nullptr) const;
  /// Runs work(), in which encode_filtered() depends on `seed` and the order of its calls if pieces are sampled.
  void reproducibly(std::uint64_t seed, const std::function<void()>& work) const;
  /// Development and test text: nothing is dropped or cut. UserError: a line of more than kMaxLineToTokenize bytes.
  void encode(std::size_t i, EncodedPair& pair, PairText* text = nullptr) const;
  [[nodiscard]] PairText text(std::size_t i) const;
  /// The same cleaning and tokenizers for development or test text, without a cache.
  [[nodiscard]] PairEncoder with(const Corpus& other) const;

  [[nodiscard]] const Corpus& corpus() const { return corpus_; }
  [[nodiscard]] const TokenizerPair& tokenizers() const { return tokenizers_; }

 private:
  [[nodiscard]] bool samples() const { return options_.sampling.alpha > 0; }
  PairText read(std::size_t i, EncodedPair& pair, bool sample) const;  // without eos
  PairFate filter(std::size_t i, EncodedPair& pair, bool sample, PairText* text) const;

  const Corpus& corpus_;
  TokenizerPair tokenizers_;
  FilterOptions options_;
  std::shared_ptr<EncodedCache> cache_;
};

/// The error for a corpus of which nothing is left to train on.
[[noreturn]] void throw_nothing_left(const CorpusReport& report, const Corpus& corpus);

/// Adds the pair to the last batch, or begins a new one when that would have more than batch_tokens labels.
void append_pair(std::vector<Batch>& batches, const EncodedPair& pair, std::size_t batch_tokens);

/// All pairs in their order, nothing dropped, in batches of at most batch_tokens labels (a longer pair gets a
/// batch of its own).
[[nodiscard]] std::vector<Batch> encode_all(const PairEncoder& encoder, std::size_t batch_tokens);

}  // namespace dragoman
