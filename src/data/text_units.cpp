#include "data/text_units.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdio>

namespace dragoman {

namespace {
constexpr std::size_t kExamples = 5;

/// Not what has no picture of its own, or turns the text around it.
bool is_visible(char32_t c) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS:
      return false;
    default:
      return true;
  }
}

}  // namespace

Characters describe_characters(const std::vector<char32_t>& characters) {
  Characters result{characters.size(), {}};
  for (std::size_t i = 0; i < std::min(kExamples, characters.size()); ++i) {
    const char32_t c = characters[i];
    char code[16];
    std::snprintf(code, sizeof code, "U+%04X", static_cast<unsigned>(c));
    if (i > 0) result.examples += ", ";
    if (is_visible(c)) {
      append_utf8(result.examples, c);
      result.examples += ' ';
    }
    result.examples += code;
  }
  if (characters.size() > kExamples) result.examples += ", ...";
  return result;
}

}  // namespace dragoman
