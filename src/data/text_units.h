// Characters and words of cleaned text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/utf8.h"
#include "data/data_report.h"

namespace dragoman {

inline constexpr std::size_t kCodePoints = 0x110000;

/// Calls use(character) for each character but the space.
template <class Use>
void for_each_character(std::string_view text, const Use& use) {
  for (std::size_t pos = 0; pos < text.size();) {
    const auto byte = static_cast<unsigned char>(text[pos]);
    const char32_t c = byte < 0x80 ? text[pos++] : decode_utf8(text, pos);
    if (c != U' ') use(c);
  }
}

/// Calls use(word) for each part between spaces.
template <class Use>
void for_each_word(std::string_view text, const Use& use) {
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (!word.empty()) use(word);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
}

/// The first five as examples.
[[nodiscard]] Characters describe_characters(const std::vector<char32_t>& characters);

}  // namespace dragoman
