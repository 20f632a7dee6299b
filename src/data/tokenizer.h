// Text to token ids and back. One file per algorithm (sentencepiece_, word_, char_tokenizer.cpp) and one table
// of them (tokenizer.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/real.h"
#include "data/data_options.h"

namespace dragoman {

/// Immutable; every method may be called by several threads at once. Ids: unk 0, bos 1, eos 2, pieces from 3.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// Pieces of a cleaned line, without bos and eos. Never gives bos or eos, whatever the text spells.
  [[nodiscard]] virtual std::vector<TokenId> encode(std::string_view text) const = 0;
  /// The same, with pieces drawn at random (SentencePiece only). Draws come from a generator of the calling thread:
  /// see sample_reproducibly.
  [[nodiscard]] virtual std::vector<TokenId> sample(std::string_view text, const SamplingOptions& options) const;
  /// What each piece of encode(text) stands for in the text, unknown ones too.
  [[nodiscard]] virtual std::vector<std::string> surfaces(std::string_view text) const = 0;
  /// The text of the ids; control tokens are left out, unk becomes U+2047 (SentencePiece: between spaces).
  [[nodiscard]] std::string decode(std::span<const TokenId> ids) const { return decode(ids, {}); }
  /// The same with one of the surfaces in the place of each unk, in order; none: U+2047.
  [[nodiscard]] virtual std::string decode(std::span<const TokenId> ids,
                                           std::span<const std::string> unknown) const = 0;
  /// Number of ids, control tokens included.
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// A readable form of one id, such as "<unk>", "<s>", "</s>" or a piece.
  [[nodiscard]] virtual std::string piece(TokenId id) const = 0;
  /// Does the id stand for no text: bos, eos, the <pad> and the like of a ready model?
  [[nodiscard]] virtual bool is_control(TokenId id) const { return id == kBos || id == kEos; }
  /// The kind, as in tokenizer.type.
  [[nodiscard]] virtual std::string type() const = 0;
  /// What the file holds, byte for byte.
  [[nodiscard]] virtual std::string serialize() const = 0;
  /// Of its file, with the dot: ".model" (SentencePiece) or ".json".
  [[nodiscard]] virtual std::string extension() const = 0;

  void save(const std::filesystem::path& path) const;
};

/// Runs work(), in which sample() draws from `seed` alone: in a thread of its own, since SentencePiece reads its seed
/// once a thread, and one call at a time, since the seed is the process's. What work() throws is passed on.
void sample_reproducibly(std::uint64_t seed, const std::function<void()>& work);

/// The lines a tokenizer is trained on, cleaned; read in order, perhaps several times. Empty lines are skipped.
struct TrainingText {
  std::size_t size = 0;
  std::function<std::string(std::size_t)> line;
};

/// Trains the kind that `options.type` names. Deterministic: the seed only chooses the lines when there are more
/// than two million. Remarks for the user, such as a vocabulary smaller than wanted, are appended to *warnings
/// (may be null). UserError: vocab_size too small for the characters of the text, no text.
[[nodiscard]] std::shared_ptr<const Tokenizer> train_tokenizer(const TokenizerOptions& options,
                                                               const TrainingText& text, std::uint64_t seed,
                                                               std::vector<std::string>* warnings);

/// Any kind, recognized by the file's contents. UserError when missing, damaged or with other control ids.
[[nodiscard]] std::shared_ptr<const Tokenizer> load_tokenizer(const std::filesystem::path& path);

}  // namespace dragoman
