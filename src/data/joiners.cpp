#include "data/joiners.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>

#include "core/utf8.h"

namespace dragoman {

namespace {

constexpr char32_t kZeroWidthSpace = 0x200B, kJoiner = 0x200D;
constexpr char32_t kVowelSeparator = 0x180E;
constexpr char32_t kCancelTag = 0xE007F;

struct Range {
  char32_t first, last;
};

// Blocks of scripts whose letters join: Arabic, Syriac, Mandaic, N'Ko, Mongolian, Phags-pa, Manichaean, Psalter Pahlavi,
// Hanifi Rohingya, Sogdian to Chorasmian, Adlam.
constexpr Range kCursive[] = {{0x600, 0x77F},     {0x7C0, 0x7FF},     {0x840, 0x8FF},     {0x1800, 0x18AF},
                              {0xA840, 0xA87F},   {0xFB50, 0xFDFF},   {0xFE70, 0xFEFC},   {0x10AC0, 0x10AFF},
                              {0x10B80, 0x10BAF}, {0x10D00, 0x10D3F}, {0x10F30, 0x10FDF}, {0x11660, 0x1167F},
                              {0x1E900, 0x1E95F}};

// Thai and Lao, Myanmar, Khmer, Tai Le and New Tai Lue, Tai Tham, Balinese, Javanese, Myanmar again, Tai Viet, Ahom.
constexpr Range kWithoutSpaces[] = {{0xE00, 0xEFF},   {0x1000, 0x109F}, {0x1780, 0x17FF},
                                    {0x1950, 0x19DF}, {0x1A20, 0x1AAF}, {0x1B00, 0x1B7F},
                                    {0xA980, 0xA9FF}, {0xAA60, 0xAADF}, {0x11700, 0x1174F}};

constexpr Range kMongolian[] = {{0x1820, 0x18AA}};

template <std::size_t n>
bool is_in(const Range (&ranges)[n], char32_t c) {
  return std::any_of(std::begin(ranges), std::end(ranges), [c](Range r) { return c >= r.first && c <= r.last; });
}

const utf8proc_property_t& property(char32_t c) { return *utf8proc_get_property(static_cast<utf8proc_int32_t>(c)); }

bool is_mark(char32_t c) {
  return property(c).category >= UTF8PROC_CATEGORY_MN && property(c).category <= UTF8PROC_CATEGORY_ME;
}
bool is_letter(char32_t c) {
  return property(c).category >= UTF8PROC_CATEGORY_LU && property(c).category <= UTF8PROC_CATEGORY_LO;
}
bool is_cursive(char32_t c) { return is_letter(c) && is_in(kCursive, c); }
bool is_picture(char32_t c) { return property(c).boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC; }
bool is_skin_tone(char32_t c) { return c >= 0x1F3FB && c <= 0x1F3FF; }
bool is_tag(char32_t c) { return c >= 0xE0020 && c <= kCancelTag; }

/// What stands before a run of joiners: the last character that is no mark (0: none in this word), and whether a virama
/// is among the marks behind it. Neither depends on the order of marks or on their composition.
struct Before {
  char32_t base = 0;
  bool virama = false;

  void add(char32_t c) {
    if (c == U' ') {
      *this = {};
    } else if (is_mark(c) || is_skin_tone(c)) {
      virama |= property(c).combining_class == 9;
    } else {
      *this = {c, false};
    }
  }
};

/// `next`: the first character behind the run; 0 at the end.
bool has_effect(char32_t joiner, const Before& before, char32_t next) {
  const char32_t base = before.base;
  if (joiner == kVowelSeparator) return is_in(kMongolian, base) && is_in(kMongolian, next);
  if (joiner == kZeroWidthSpace) {
    const bool between = base != 0 && next != 0 && next != U' ' && !is_mark(next);  // a mark begins no word
    return between && (is_in(kWithoutSpaces, base) || is_in(kWithoutSpaces, next));
  }
  if (is_letter(base) && (is_letter(next) || is_mark(next))) return true;
  if (before.virama || is_cursive(base)) return true;
  if (is_cursive(next)) return base != 0 || joiner == kJoiner;
  return joiner == kJoiner && is_picture(base) && is_picture(next);
}

/// Length of the tags at `pos` if they are whole, else 0.
std::size_t tags_at(const std::u32string& text, std::size_t pos) {
  std::size_t end = pos;
  while (end < text.size() && is_tag(text[end]) && text[end] != kCancelTag) ++end;
  return end > pos && end < text.size() && text[end] == kCancelTag ? end + 1 - pos : 0;
}

}  // namespace

bool is_joiner(char32_t c) { return (c >= kZeroWidthSpace && c <= kJoiner) || c == kVowelSeparator || is_tag(c); }

std::string drop_idle_joiners(std::string_view text) {
  const std::u32string in = decode_utf8(text);
  std::u32string out;
  Before before;
  for (std::size_t i = 0; i < in.size();) {
    if (!is_joiner(in[i])) {
      before.add(in[i]);
      out += in[i++];
      const std::size_t tags = is_picture(before.base) ? tags_at(in, i) : 0;
      out.append(in, i, tags);
      i += tags;
      continue;
    }
    const std::size_t end =
        std::find_if_not(in.begin() + static_cast<std::ptrdiff_t>(i), in.end(), is_joiner) - in.begin();
    const char32_t next = end < in.size() ? in[end] : 0;
    for (; i < end; ++i) {
      if (!is_tag(in[i]) && (out.empty() || in[i] != out.back()) && has_effect(in[i], before, next)) out += in[i];
    }
  }
  return encode_utf8(out);
}

}  // namespace dragoman
