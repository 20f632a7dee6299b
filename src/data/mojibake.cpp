#include "data/mojibake.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

#include "core/utf8.h"

namespace dragoman {

namespace {

/// What cp1252 has at 0x80 to 0x9F; five are undefined, and many programs leave those as they are.
constexpr char32_t kCp1252[] = {0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021, 0x2C6,  0x2030, 0x160,
                                0x2039, 0x152,  0x8D,   0x17D,  0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
                                0x2013, 0x2014, 0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};

/// The byte from 0x80 to 0xBF that cp1252 (or Latin-1) makes this character of; 0: none.
char continuation(char32_t c) {
  if (c >= 0x80 && c <= 0xBF) return static_cast<char>(c);
  const auto* const found = std::find(std::begin(kCp1252), std::end(kCp1252), c);
  return found == std::end(kCp1252) ? '\0' : static_cast<char>(0x80 + (found - kCp1252));
}

/// The character whose UTF-8 was read as those from `pos` on, which are passed: one for a lead byte (U+00C2 to U+00F4;
/// U+00D7 is a sign) and those of the rest. 0: they are no such text.
char32_t repaired(std::string_view line, std::size_t& pos) {
  const char32_t lead = decode_utf8(line, pos);
  if (lead < 0xC2 || lead > 0xF4 || lead == 0xD7) return 0;
  std::string bytes(1, static_cast<char>(lead));
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  while (bytes.size() < length && pos < line.size()) {
    const char byte = continuation(decode_utf8(line, pos));
    if (byte == '\0') return 0;
    bytes.push_back(byte);
  }
  if (bytes.size() != length || !next_utf8(bytes, 0).valid) return 0;
  std::size_t begin = 0;
  return decode_utf8(bytes, begin);
}

bool is_between(char32_t c, char32_t first, char32_t last) { return first <= c && c <= last; }

/// Letters and marks that stand among those of ASCII (letters of Romanian and Vietnamese among them, IPA not).
bool is_latin(char32_t c) {
  return is_between(c, 0xA0, 0x17F) || is_between(c, 0x1A0, 0x1A1) || is_between(c, 0x1AF, 0x1B0) ||
         is_between(c, 0x218, 0x21B) || is_between(c, 0x1E00, 0x1EFF) || is_between(c, 0x2010, 0x20CF);
}

}  // namespace

// "LIBERT\u00C9\u00A0:" is French, though its two characters could be those of U+0260: text that was damaged is damaged
// wherever it is not ASCII, and characters of other scripts are not alone.
bool has_mojibake(std::string_view line) {
  constexpr char kLead = '\xC3';  // of U+00C2 to U+00F4
  if (line.find(kLead) == std::string_view::npos) return false;
  bool found = false;
  std::size_t others = 0;  // characters of other scripts in a row
  for (std::size_t pos = 0; pos < line.size();) {
    if (static_cast<unsigned char>(line[pos]) < 0x80) {
      ++pos;
      others = 0;
      continue;
    }
    const char32_t was = repaired(line, pos);
    if (was == 0) return false;
    const bool fits = is_latin(was) || was >= 0x10000;
    others = fits ? 0 : others + 1;
    found = found || fits || others > 1;
  }
  return found;
}

}  // namespace dragoman
