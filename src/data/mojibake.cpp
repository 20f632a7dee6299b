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

/// Is there at `pos` a character that was a lead byte (U+00C2 to U+00F4; U+00D7 is a sign), and those of the rest?
bool is_mojibake_at(std::string_view line, std::size_t pos) {
  const char32_t lead = decode_utf8(line, pos);
  if (lead < 0xC2 || lead > 0xF4 || lead == 0xD7) return false;
  std::string bytes(1, static_cast<char>(lead));
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  while (bytes.size() < length && pos < line.size()) {
    const char byte = continuation(decode_utf8(line, pos));
    if (byte == '\0') return false;
    bytes.push_back(byte);
  }
  return bytes.size() == length && next_utf8(bytes, 0).valid;
}

}  // namespace

bool has_mojibake(std::string_view line) {
  constexpr char kLead = '\xC3';  // of U+00C2 to U+00F4
  for (std::size_t pos = 0; (pos = line.find(kLead, pos)) != std::string_view::npos; ++pos) {
    if (is_mojibake_at(line, pos)) return true;
  }
  return false;
}

}  // namespace dragoman
