#include "metrics/bleu_tokenizers.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"

namespace dragoman {
namespace {

constexpr std::array<std::pair<BleuTokenizer, std::string_view>, 4> kNames = {{
    {BleuTokenizer::none, "none"},
    {BleuTokenizer::v13a, "13a"},
    {BleuTokenizer::intl, "intl"},
    {BleuTokenizer::character, "char"},
}};

bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
bool is_period_or_comma(char c) { return c == '.' || c == ','; }

/// The bytes of the white-space character that starts at text[i], or 0. No white-space character but the ASCII
/// ones starts with a byte below 0xC2, so that the common case is one comparison.
std::size_t space_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U; };
  const unsigned a = byte(0);
  if (a <= 0x20) return (a >= 0x09 && a <= 0x0D) || a >= 0x1C ? 1 : 0;
  if (a == 0xC2) return byte(1) == 0x85 || byte(1) == 0xA0 ? 2 : 0;
  if (a < 0xE1 || a > 0xE3) return 0;
  const unsigned b = byte(1), c = byte(2);
  if (a == 0xE1) return b == 0x9A && c == 0x80 ? 3 : 0;                                           // U+1680
  if (a == 0xE3) return b == 0x80 && c == 0x80 ? 3 : 0;                                           // U+3000
  if (b == 0x81) return c == 0x9F ? 3 : 0;                                                        // U+205F
  return b == 0x80 && ((c >= 0x80 && c <= 0x8A) || c == 0xA8 || c == 0xA9 || c == 0xAF) ? 3 : 0;  // U+2000...
}

std::string_view trim_end(std::string_view line) {
  while (!line.empty()) {
    const std::size_t size = line.size();
    std::size_t cut = 0;
    for (std::size_t n = 1; n <= std::min<std::size_t>(3, size) && cut == 0; ++n) {
      if (space_length(line, size - n) == n) cut = n;
    }
    if (cut == 0) break;
    line.remove_suffix(cut);
  }
  return line;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  std::size_t found = text.find(from);
  if (found == std::string::npos) return;
  std::string out;
  std::size_t start = 0;
  for (; found != std::string::npos; found = text.find(from, start)) {
    out.append(text, start, found - start).append(to);
    start = found + from.size();
  }
  text = out.append(text, start);
}

/// Punctuation that 13a always splits off: all of ASCII's except ' , - and the period; the space is in the class
/// too, which changes nothing.
bool is_13a_punctuation(char c) {
  return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

/// Copies text and puts a space into every pair of neighbors (a, b) with first(a) and second(b), and one more
/// before or after the pair where asked. Pairs don't overlap: the search goes on behind the pair.
template <class Char, class First, class Second>
std::basic_string<Char> space_pairs(const std::basic_string<Char>& text, bool before, bool after, First first,
                                    Second second) {
  std::basic_string<Char> out;
  out.reserve(text.size() + text.size() / 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !first(text[i]) || !second(text[i + 1])) {
      out += text[i];
      continue;
    }
    if (before) out += Char(' ');
    out += text[i];
    out += Char(' ');
    out += text[++i];
    if (after) out += Char(' ');
  }
  return out;
}

/// Copies text with a space before and after every character that `alone` picks.
template <class Char, class Alone>
std::basic_string<Char> space_around(const std::basic_string<Char>& text, Alone alone) {
  std::basic_string<Char> out;
  out.reserve(text.size() + text.size() / 2);
  for (const Char c : text) {
    const bool spaced = alone(c);
    if (spaced) out += Char(' ');
    out += c;
    if (spaced) out += Char(' ');
  }
  return out;
}

/// Works on bytes: those of longer characters are neither digits nor punctuation, so that they only ever stand
/// for "some other character".
std::string tokenize_13a(std::string_view line) {
  std::string text(line);
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  if (text.find('&') != std::string::npos) {
    replace_all(text, "&quot;", "\"");
    replace_all(text, "&amp;", "&");
    replace_all(text, "&lt;", "<");
    replace_all(text, "&gt;", ">");
  }
  text = space_around(" " + text + " ", is_13a_punctuation);
  const auto not_digit = [](char c) { return !is_ascii_digit(c); };
  text = space_pairs(text, false, true, not_digit, is_period_or_comma);  // unless a digit comes before
  text = space_pairs(text, true, false, is_period_or_comma, not_digit);  // unless a digit comes after
  return space_pairs(text, false, true, is_ascii_digit, [](char c) { return c == '-'; });
}

utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

bool is_number(char32_t c) {
  const auto k = category(c);
  return k >= UTF8PROC_CATEGORY_ND && k <= UTF8PROC_CATEGORY_NO;
}
bool is_punctuation(char32_t c) {
  const auto k = category(c);
  return k >= UTF8PROC_CATEGORY_PC && k <= UTF8PROC_CATEGORY_PO;
}
bool is_symbol(char32_t c) {
  const auto k = category(c);
  return k >= UTF8PROC_CATEGORY_SM && k <= UTF8PROC_CATEGORY_SO;
}

std::string tokenize_intl(std::string_view line) {
  const auto not_number = [](char32_t c) { return !is_number(c); };
  std::u32string text = decode_utf8(line);
  text = space_pairs(text, false, true, not_number, is_punctuation);  // unless a number comes before
  text = space_pairs(text, true, false, is_punctuation, not_number);  // unless a number comes after, or nothing
  return encode_utf8(space_around(text, is_symbol));
}

std::string tokenize_char(std::string_view line) {
  std::string out;
  out.reserve(2 * line.size());
  for (std::size_t pos = 0; pos < line.size();) {
    append_utf8(out, decode_utf8(line, pos));
    out += ' ';
  }
  return out;
}

// Final sigma (Unicode, table 3-17): a cased character before, none after, whatever case-ignorable characters
// lie between. The few code points named are those whose property doesn't follow from their category.

bool is_case_ignorable(char32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return std::u32string_view(
                 U"'.:\u00B7\u0387\u055F\u05F4\u2018\u2019\u2024\u2027\uFE13\uFE52\uFE55\uFF07"
                 U"\uFF0E\uFF1A")
                 .find(c) != std::u32string_view::npos;
  }
}

bool is_cased(char32_t c) {
  const auto k = category(c);
  const auto within = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
  return k == UTF8PROC_CATEGORY_LU || k == UTF8PROC_CATEGORY_LL || k == UTF8PROC_CATEGORY_LT || c == 0xAA ||
         c == 0xBA || within(0x2160, 0x217F) || within(0x24B6, 0x24E9) || within(0x1F130, 0x1F149) ||
         within(0x1F150, 0x1F169) || within(0x1F170, 0x1F189);
}

bool is_final_sigma(std::u32string_view text, std::size_t at) {
  std::size_t before = at;
  while (before > 0 && is_case_ignorable(text[before - 1])) --before;
  if (before == 0 || !is_cased(text[before - 1])) return false;
  std::size_t after = at + 1;
  while (after < text.size() && is_case_ignorable(text[after])) ++after;
  return after == text.size() || !is_cased(text[after]);
}

}  // namespace

BleuTokenizer parse_bleu_tokenizer(std::string_view name) {
  std::string known;
  for (const auto& [tokenizer, its_name] : kNames) {
    if (its_name == name) return tokenizer;
    known += (known.empty() ? "" : ", ") + std::string(its_name);
  }
  throw UserError("unknown BLEU tokenizer '" + std::string(name) + "'; known are " + known);
}

std::string_view to_string(BleuTokenizer tokenizer) {
  for (const auto& [known, name] : kNames) {
    if (known == tokenizer) return name;
  }
  return "?";
}

std::string tokenize_for_bleu(BleuTokenizer tokenizer, std::string_view line) {
  line = trim_end(line);
  switch (tokenizer) {
    case BleuTokenizer::v13a:
      return tokenize_13a(line);
    case BleuTokenizer::intl:
      return tokenize_intl(line);
    case BleuTokenizer::character:
      return tokenize_char(line);
    case BleuTokenizer::none:
      break;
  }
  return std::string(line);
}

void split_words(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  std::size_t start = 0;
  for (std::size_t i = 0; i <= line.size();) {
    const std::size_t space = i < line.size() ? space_length(line, i) : 1;
    if (space == 0) {
      ++i;
      continue;
    }
    if (i > start) words.push_back(line.substr(start, i - start));
    i += space;
    start = i;
  }
}

std::string lower_case(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    for (const char c : text) out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
  }
  const std::u32string characters = decode_utf8(text);
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const char32_t c = characters[i];
    if (c == U'\u0130') {
      out += "i\u0307";
    } else if (c == U'\u03A3') {
      append_utf8(out, is_final_sigma(characters, i) ? U'\u03C2' : U'\u03C3');
    } else {
      append_utf8(out, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))));
    }
  }
  return out;
}

}  // namespace dragoman
