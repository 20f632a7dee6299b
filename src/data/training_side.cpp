#include "data/training_side.h"

#include <algorithm>

#include "core/rng.h"
#include "data/text_units.h"

namespace dragoman {

namespace {

constexpr std::size_t kWordBits = std::size_t{1} << 25;

std::size_t word_bit(std::string_view word) { return hash_name(word) % kWordBits; }

}  // namespace

TrainingSide::TrainingSide() : characters_(kCodePoints), words_(kWordBits) {}

void TrainingSide::add(std::size_t line, std::string_view text, std::span<const TokenId> ids) {
  const std::size_t length = ids.size() - 1;
  if (length >= lengths_.size()) lengths_.resize(length + 1);
  ++lengths_[length];
  const auto unknown = static_cast<std::size_t>(std::count(ids.begin(), ids.end(), kUnk));
  unknown_ += unknown;
  if (unknown > 0) unknown_lines_.add(line);
  for_each_character(text, [&](char32_t c) { characters_[c] = true; });
  for_each_word(text, [&](std::string_view word) { words_[word_bit(word)] = true; });
}

void TrainingSide::add_raw(std::size_t line, const CleaningChanges& changes, bool mojibake) {
  const std::array<bool, 3> kinds = {changes.spaces, changes.removed, changes.composed};
  for (std::size_t i = 0; i < kinds.size(); ++i) changes_[i] += kinds[i] ? 1 : 0;
  if (kinds != std::array<bool, 3>{}) changed_lines_.add(line);
  if (mojibake) mojibake_.add(line);
}

bool TrainingSide::has_word(std::string_view word) const { return words_[word_bit(word)]; }

std::vector<char32_t> TrainingSide::without_piece(const Tokenizer& tokenizer) const {
  std::vector<bool> known(kCodePoints);
  for (auto id = static_cast<TokenId>(kEos + 1); id < static_cast<TokenId>(tokenizer.size()); ++id) {
    for_each_character(tokenizer.piece(id), [&](char32_t c) { known[c] = true; });
  }
  std::vector<char32_t> result;
  for (char32_t c = 0; c < kCodePoints; ++c) {
    if (!characters_[c] || known[c]) continue;
    std::string text;
    append_utf8(text, c);
    const std::vector<TokenId> ids = tokenizer.encode(text);  // a model may spell it in bytes
    if (std::find(ids.begin(), ids.end(), kUnk) != ids.end()) result.push_back(c);
  }
  return result;
}

SideReport TrainingSide::report(const Corpus& corpus, const Tokenizer& tokenizer) const {
  SideReport report;
  report.lengths = lengths_;
  for (std::size_t n = 0; n < lengths_.size(); ++n) report.pieces += n * lengths_[n];
  report.unknown = unknown_;
  report.unknown_lines = unknown_lines_.in(corpus);
  report.changed_lines = changed_lines_.in(corpus);
  report.changes = changes_;
  report.mojibake = mojibake_.in(corpus);
  report.characters = static_cast<std::size_t>(std::count(characters_.begin(), characters_.end(), true));
  report.letters = false;
  for (char32_t c = 0; c < kCodePoints && !report.letters; ++c) {
    const char32_t lower = c | 0x20;
    report.letters = characters_[c] && (c > 0x7f || (lower >= 'a' && lower <= 'z'));
  }
  report.without_piece = describe_characters(without_piece(tokenizer));
  return report;
}

}  // namespace dragoman
