// The tokenizers of both sides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/corpus.h"
#include "data/tokenizer.h"

namespace dragoman {

struct TokenizerPair {
  std::shared_ptr<const Tokenizer> source;
  std::shared_ptr<const Tokenizer> target;  ///< the same object when shared

  [[nodiscard]] bool shared() const { return source == target; }
  /// Writes tokenizer.* when shared, else source.* and target.* (.model: SentencePiece, .json: word and char).
  void save(const std::filesystem::path& directory) const;
  /// UserError when the directory holds neither.
  static TokenizerPair load(const std::filesystem::path& directory);
};

/// Trains on the corpus (both sides together when shared), or loads options.model_file and target_model_file when
/// those are given.
[[nodiscard]] TokenizerPair train_tokenizers(const TokenizerOptions& options, const Corpus& corpus,
                                             const std::string& normalization, std::uint64_t seed,
                                             std::vector<std::string>* warnings);

}  // namespace dragoman
