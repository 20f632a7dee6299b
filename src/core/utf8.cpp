#include "core/utf8.h"

namespace dragoman {

namespace {

constexpr char32_t kReplacement = 0xFFFD;

unsigned char byte_at(std::string_view text, std::size_t pos) { return static_cast<unsigned char>(text[pos]); }

/// What a lead byte demands: the length of its sequence (0: not a lead byte), the bits it contributes and
/// the range of the second byte, which is where overlong forms, surrogates and U+110000 are caught.
struct Lead {
  std::size_t length;
  unsigned char mask;
  unsigned char low, high;
};

Lead classify(unsigned char lead) {
  if (lead < 0xC2 || lead > 0xF4) return {0, 0, 0, 0};
  if (lead < 0xE0) return {2, 0x1F, 0x80, 0xBF};
  if (lead < 0xF0) {
    const unsigned char low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned char high = lead == 0xED ? 0x9F : 0xBF;
    return {3, 0x0F, low, high};
  }
  const unsigned char low = lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xF4 ? 0x8F : 0xBF;
  return {4, 0x07, low, high};
}

}  // namespace

Utf8Step next_utf8(std::string_view text, std::size_t pos) {
  const unsigned char first = byte_at(text, pos);
  if (first < 0x80) return {first, 1, true};
  const Lead lead = classify(first);
  if (lead.length == 0) return {kReplacement, 1, false};
  char32_t c = first & lead.mask;
  for (std::size_t i = 1; i < lead.length; ++i) {
    if (pos + i >= text.size()) return {kReplacement, i, false};
    const unsigned char next = byte_at(text, pos + i);
    const unsigned char low = i == 1 ? lead.low : 0x80;
    const unsigned char high = i == 1 ? lead.high : 0xBF;
    if (next < low || next > high) return {kReplacement, i, false};
    c = (c << 6) | (next & 0x3F);
  }
  return {c, lead.length, true};
}

std::size_t first_invalid(std::string_view text) {
  for (std::size_t pos = 0; pos < text.size();) {
    if (byte_at(text, pos) < 0x80) {
      ++pos;
      continue;
    }
    const Utf8Step step = next_utf8(text, pos);
    if (!step.valid) return pos;
    pos += step.length;
  }
  return std::string_view::npos;
}

std::string replace_invalid(std::string_view text, bool* changed) {
  if (changed) *changed = false;
  const std::size_t bad = first_invalid(text);
  if (bad == std::string_view::npos) return std::string(text);
  if (changed) *changed = true;
  std::string out(text.substr(0, bad));
  for (std::size_t pos = bad; pos < text.size();) {
    const Utf8Step step = next_utf8(text, pos);
    if (step.valid) {
      out.append(text, pos, step.length);
    } else {
      append_utf8(out, kReplacement);
    }
    pos += step.length;
  }
  return out;
}

char32_t decode_utf8(std::string_view text, std::size_t& pos) {
  const Utf8Step step = next_utf8(text, pos);
  pos += step.length;
  return step.c;
}

std::u32string decode_utf8(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t pos = 0; pos < text.size();) out.push_back(decode_utf8(text, pos));
  return out;
}

void append_utf8(std::string& out, char32_t c) {
  if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) c = kReplacement;
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
    return;
  }
  if (c < 0x800) {
    out.push_back(static_cast<char>(0xC0 | (c >> 6)));
  } else {
    if (c < 0x10000) {
      out.push_back(static_cast<char>(0xE0 | (c >> 12)));
    } else {
      out.push_back(static_cast<char>(0xF0 | (c >> 18)));
      out.push_back(static_cast<char>(0x80 | ((c >> 12) & 0x3F)));
    }
    out.push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3F)));
  }
  out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
}

std::string encode_utf8(std::u32string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char32_t c : text) append_utf8(out, c);
  return out;
}

}  // namespace dragoman
