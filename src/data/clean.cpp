#include "data/clean.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "core/error.h"
#include "core/utf8.h"
#include "data/joiners.h"

namespace dragoman {

namespace {

enum class Kind { keep, space, joiner, drop };

/// Format characters with a shape of their own (Prepended_Concatenation_Mark), and those that build Egyptian quadrats.
bool is_visible_format(char32_t c) {
  return (c >= 0x600 && c <= 0x605) || c == 0x6DD || c == 0x70F || c == 0x890 || c == 0x891 || c == 0x8E2 ||
         c == 0x110BD || c == 0x110CD || (c >= 0x13430 && c <= 0x1343F);
}

Kind classify(char32_t c) {
  if (c > 0x20 && c < 0x7F) return Kind::keep;
  if (c == 0x20 || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F) || c == 0x85) return Kind::space;
  if (is_joiner(c)) return Kind::joiner;
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

/// The text is valid UTF-8.
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

/// The text with single spaces and without what is dropped.
struct Stripped {
  std::string text;
  bool joiners = false;  // are there any?
  bool low = true;       // nothing at or above U+0300: every such text is in NFC
};

Stripped strip(std::string_view text, CleaningChanges& changes) {
  Stripped out;
  out.text.reserve(text.size());
  bool space = false;  // one is due before the next character
  for (std::size_t pos = 0; pos < text.size();) {
    const char32_t c = decode_utf8(text, pos);
    const Kind kind = classify(c);
    changes.removed |= kind == Kind::drop;
    changes.spaces |= kind == Kind::space && (space || out.text.empty() || c != 0x20);
    out.joiners |= kind == Kind::joiner;
    if (kind == Kind::space) space = true;
    if (kind == Kind::space || kind == Kind::drop) continue;
    if (space && !out.text.empty()) out.text.push_back(' ');
    space = false;
    append_utf8(out.text, c);
    if (c >= 0x300) out.low = false;
  }
  changes.spaces |= space;
  return out;
}

}  // namespace

std::string clean_text(std::string_view text, CleaningChanges* changes) {
  CleaningChanges found;
  Stripped out = strip(text, found);
  if (out.joiners) {
    const std::string kept = drop_idle_joiners(out.text);
    found.removed |= kept.size() < out.text.size();
    out = strip(kept, found);  // one that stood alone leaves two spaces
  }
  if (!out.low) {
    std::string composed = compose(out.text);
    found.composed = composed != out.text;
    out.text = std::move(composed);
  }
  if (changes != nullptr) *changes = found;
  return std::move(out.text);
}

bool is_blank(std::string_view text) {
  for (std::size_t pos = 0; pos < text.size();) {
    if (classify(decode_utf8(text, pos)) == Kind::keep) return false;
  }
  return true;
}

bool is_composed(std::string_view text) {
  constexpr char kLead = '\xCC';  // of U+0300; every text below is in NFC
  const auto low = [](char c) { return static_cast<unsigned char>(c) < static_cast<unsigned char>(kLead); };
  return std::all_of(text.begin(), text.end(), low) || compose(std::string(text)) == text;
}

std::string normalize_text(std::string_view text, std::string_view normalization, CleaningChanges* changes) {
  if (normalization == "clean") return clean_text(text, changes);
  if (normalization == "none") return std::string(text);
  throw UserError("data.normalization: found \"" + std::string(normalization) + "\", expected clean or none");
}

}  // namespace dragoman
