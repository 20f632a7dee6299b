#include "data/clean.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>
#include <new>

#include "core/error.h"
#include "core/utf8.h"

namespace dragoman {

namespace {

enum class Kind { keep, space, joiner, drop };

/// Format characters with a shape of their own (Prepended_Concatenation_Mark).
bool is_visible_format(char32_t c) {
  return (c >= 0x600 && c <= 0x605) || c == 0x6DD || c == 0x70F || c == 0x890 || c == 0x891 || c == 0x8E2 ||
         c == 0x110BD || c == 0x110CD;
}

Kind classify(char32_t c) {
  if (c > 0x20 && c < 0x7F) return Kind::keep;
  if (c == 0x20 || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F) || c == 0x85) return Kind::space;
  if (c == 0x200C || c == 0x200D) return Kind::joiner;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return Kind::space;
    case UTF8PROC_CATEGORY_CC:
      return Kind::drop;
    case UTF8PROC_CATEGORY_CF:
      return is_visible_format(c) ? Kind::keep : Kind::drop;
    default:
      return Kind::keep;
  }
}

/// Letters, and the marks that belong to them (a virama stands before a joiner).
bool is_letter(char32_t c) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_ME;
}

/// The text is free of NUL here.
std::string compose(const std::string& text) {
  struct Free {
    void operator()(utf8proc_uint8_t* p) const { std::free(p); }
  };
  utf8proc_uint8_t* raw = nullptr;
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
  const utf8proc_ssize_t size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                             static_cast<utf8proc_ssize_t>(text.size()), &raw, options);
  const std::unique_ptr<utf8proc_uint8_t, Free> owner(raw);
  if (size == UTF8PROC_ERROR_NOMEM) throw std::bad_alloc();
  CHECK(size >= 0, utf8proc_errmsg(size));
  return {reinterpret_cast<const char*>(raw), static_cast<std::size_t>(size)};
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  char32_t before = 0;  // the last character written
  bool space = false;   // one is due before the next character
  bool composed = true;
  for (std::size_t pos = 0; pos < text.size();) {
    const char32_t c = decode_utf8(text, pos);
    Kind kind = classify(c);
    if (kind == Kind::joiner) {
      const bool between = !space && is_letter(before) && pos < text.size() && is_letter(next_utf8(text, pos).c);
      kind = between ? Kind::keep : Kind::drop;
    }
    if (kind == Kind::space) space = true;
    if (kind != Kind::keep) continue;
    if (space && !out.empty()) out.push_back(' ');
    space = false;
    append_utf8(out, c);
    before = c;
    if (c >= 0x300) composed = false;  // every text of characters below U+0300 is in NFC
  }
  return composed ? out : compose(out);
}

std::string normalize_text(std::string_view text, std::string_view normalization) {
  if (normalization == "clean") return clean_text(text);
  if (normalization == "none") return std::string(text);
  throw UserError("data.normalization: found \"" + std::string(normalization) + "\", expected clean or none");
}

}  // namespace dragoman
