#include "data/text_units.h"

#include <algorithm>
#include <cstdio>

namespace dragoman {

namespace {
constexpr std::size_t kExamples = 5;
}  // namespace

Characters describe_characters(const std::vector<char32_t>& characters) {
  Characters result{characters.size(), {}};
  for (std::size_t i = 0; i < std::min(kExamples, characters.size()); ++i) {
    const char32_t c = characters[i];
    const bool is_control = c < 0x20 || (c >= 0x7F && c < 0xA0);
    char code[16];
    std::snprintf(code, sizeof code, "U+%04X", static_cast<unsigned>(c));
    if (i > 0) result.examples += ", ";
    if (!is_control) {
      append_utf8(result.examples, c);
      result.examples += ' ';
    }
    result.examples += code;
  }
  if (characters.size() > kExamples) result.examples += ", ...";
  return result;
}

}  // namespace dragoman
