#include "core/error.h"

namespace dragoman {
namespace {

std::string printable(std::string_view text, bool keep_line_ends) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    const auto before = static_cast<unsigned char>(i > 0 ? text[i - 1] : 0);
    const bool c1 = before == 0xc2 && byte >= 0x80 && byte < 0xa0;  // U+0080 to U+009F: terminals obey these, too
    if ((byte < 0x20 || byte == 0x7f || c1) && !(c == '\n' && keep_line_ends)) {
      if (c1) out.pop_back();
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string one_line(std::string_view text) { return printable(text, false); }

UserError::UserError(const std::string& message) : std::runtime_error(printable(message, true)) {}

UserError::UserError(const std::string& file, std::size_t line, const std::string& message)
    : std::runtime_error(one_line(file + (line ? ":" + std::to_string(line) : "") + ": " + message)) {}

void check_failed(const char* file, int line, const char* condition, const std::string& message) {
  throw std::logic_error(std::string("internal error at ") + file + ":" + std::to_string(line) + ": " + message + " (" +
                         condition + ")");
}

}  // namespace dragoman
