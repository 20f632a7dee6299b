#include "data/encoding_guess.h"

#include <algorithm>
#include <cstddef>

#include "core/utf8.h"

namespace dragoman {

namespace {

bool within(char c, unsigned first, unsigned last) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= first && byte <= last;
}

/// A stray NUL makes no UTF-16, nor do those of binary files: there are several, mostly at one parity, and in a line that
/// could be UTF-8 as well many, all there.
bool is_utf16(std::string_view line, bool valid_utf8) {
  std::size_t zeros[2] = {0, 0};
  for (std::size_t i = 0; i < line.size(); ++i) zeros[i % 2] += line[i] == '\0';
  const std::size_t count = zeros[0] + zeros[1];
  const bool one_parity = zeros[0] == 0 || zeros[1] == 0;
  const std::size_t others = std::min(zeros[0], zeros[1]);
  const bool mostly_one = others <= 1 || 8 * others <= count;
  return count >= 2 && (valid_utf8 ? one_parity && 4 * count >= line.size() : mostly_one);
}

/// The two upper bytes of nearly every character are NUL, and never all four. (A line begins and ends anywhere within
/// a character, since LF is one of its bytes.)
bool is_utf32(std::string_view line) {
  std::size_t zeros[4] = {0, 0, 0, 0};
  for (std::size_t i = 0; i < line.size(); ++i) zeros[i % 4] += line[i] == '\0';
  const std::size_t characters = line.size() / 4;
  const auto all = [&](std::size_t place) { return 10 * zeros[place % 4] >= 9 * characters; };
  if (characters == 0 || std::count(std::begin(zeros), std::end(zeros), 0U) == 0) return false;
  for (std::size_t place = 0; place < 4; ++place) {
    if (all(place) && all(place + 1)) return true;
  }
  return false;
}

/// Bytes above ASCII, read as EUC-KR.
struct HighBytes {
  std::size_t hangul = 0;  // pairs in the rows of Hangul syllables
  std::size_t pairs = 0;   // other pairs
  std::size_t singles = 0;
  bool undefined = false;  // one that cp1252 lacks
};

HighBytes count_pairs(std::string_view line) {
  HighBytes count;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!within(line[i], 0x80, 0xFF)) continue;
    for (const unsigned gap : {0x81U, 0x8DU, 0x8FU, 0x90U, 0x9DU}) count.undefined |= within(line[i], gap, gap);
    const bool pair = within(line[i], 0xA1, 0xFE) && i + 1 < line.size() && within(line[i + 1], 0xA1, 0xFE);
    if (!pair) {
      ++count.singles;
    } else {
      ++(within(line[i], 0xB0, 0xC8) ? count.hangul : count.pairs);
      ++i;
    }
  }
  return count;
}

}  // namespace

Utf8Count count_utf8(std::string_view line) {
  Utf8Count count;
  for (std::size_t i = 0; i < line.size();) {
    const Utf8Step step = next_utf8(line, i);
    if (!step.valid) ++count.invalid;
    if (step.valid && step.length > 1) ++count.valid;
    i += step.length;
  }
  return count;
}

Encoding guess_encoding(std::string_view line) {
  const Utf8Count utf8 = count_utf8(line);
  if (is_utf32(line)) return Encoding::utf32;
  if (is_utf16(line, utf8.invalid == 0)) return Encoding::utf16;
  if (utf8.invalid <= utf8.valid || line.find('\0') != std::string_view::npos) return Encoding::unknown;
  const HighBytes count = count_pairs(line);
  if (count.hangul > 4 * (count.pairs + count.singles)) return Encoding::cp949;
  if (count.singles > count.hangul + count.pairs && !count.undefined) return Encoding::cp1252;
  return Encoding::unknown;
}

}  // namespace dragoman
