// Statistics of one side of the training pairs, gathered line by line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/real.h"
#include "data/clean.h"
#include "data/data_report.h"
#include "data/tokenizer.h"

namespace dragoman {

/// Memory: 4.3 MB.
class TrainingSide {
 public:
  TrainingSide();

  /// A cleaned line with its ids, eos included.
  void add(std::size_t line, std::string_view text, std::span<const TokenId> ids);

  /// What was seen in the line before it was cleaned.
  void add_raw(std::size_t line, const CleaningChanges& changes, bool mojibake);

  [[nodiscard]] bool has(char32_t c) const { return characters_[c]; }
  /// With 300,000 different words one unknown word in a hundred is taken for a known one.
  [[nodiscard]] bool has_word(std::string_view word) const;
  [[nodiscard]] SideReport report(const Corpus& corpus, const Tokenizer& tokenizer) const;

 private:
  [[nodiscard]] std::vector<char32_t> without_piece(const Tokenizer& tokenizer) const;

  std::vector<std::size_t> lengths_;
  std::size_t unknown_ = 0;
  FirstLines unknown_lines_;
  FirstLines changed_lines_;
  std::array<std::size_t, 3> changes_{};  // lines with spaces, removed, composed
  FirstLines mojibake_;
  std::vector<bool> characters_;  // by code point
  std::vector<bool> words_;       // by the last bits of their hashes
};

}  // namespace dragoman
