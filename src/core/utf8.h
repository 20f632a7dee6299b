// UTF-8: strict validation, decoding and encoding.
//
// Valid means what the Unicode standard (table 3-7) says: no overlong forms, no surrogates, nothing above
// U+10FFFF, nothing truncated. A bad sequence is a "maximal subpart" (Unicode, section 3.9; the practice of
// WHATWG): the longest prefix of a valid sequence, or else one byte. So a truncated sequence never swallows
// the byte after it, such as a line feed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dragoman {

/// One step of a strict decoder.
struct Utf8Step {
  char32_t c = 0;          ///< the code point; U+FFFD when not valid
  std::size_t length = 0;  ///< bytes of the sequence or of the maximal bad subpart, at least 1
  bool valid = false;
};

/// The sequence that starts at pos (pos < text.size()).
[[nodiscard]] Utf8Step next_utf8(std::string_view text, std::size_t pos);

/// Offset of the first byte of the first bad sequence, npos when all is valid.
[[nodiscard]] std::size_t first_invalid(std::string_view text);

/// Each bad sequence becomes one U+FFFD. Says in *changed (may be null) whether there was any.
[[nodiscard]] std::string replace_invalid(std::string_view text, bool* changed = nullptr);

/// The code point at pos; moves pos behind it. Bad sequences come out as U+FFFD.
char32_t decode_utf8(std::string_view text, std::size_t& pos);

/// All code points.
[[nodiscard]] std::u32string decode_utf8(std::string_view text);

/// Appends the encoding of c; what is not a Unicode scalar value becomes U+FFFD.
void append_utf8(std::string& out, char32_t c);

[[nodiscard]] std::string encode_utf8(std::u32string_view text);

}  // namespace dragoman
