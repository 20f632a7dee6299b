#include "data/text_check.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/error.h"
#include "core/utf8.h"
#include "data/encoding_guess.h"

namespace dragoman {

namespace {

/// A pointer's second line comes first where a header is skipped.
bool is_lfs_pointer(std::string_view line) {
  return line.starts_with("version https://git-lfs.github.com/spec/") || line.starts_with("oid sha256:");
}

bool is_html(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  std::string begin(line.substr(0, 14));
  for (char& c : begin) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return begin == "<!doctype html" || begin.starts_with("<html>") || begin.starts_with("<html ");
}

std::string advice(Encoding encoding) {
  switch (encoding) {
    case Encoding::utf16:
      return "the text looks like UTF-16 without byte order mark (NUL at every second byte), expected UTF-8: convert "
             "it first (iconv -f UTF-16LE -t UTF-8, or UTF-16BE)";
    case Encoding::cp949:
      return "the text is probably cp949 or EUC-KR (Korean), expected UTF-8: convert it first (iconv -f CP949 -t "
             "UTF-8)";
    case Encoding::cp1252:
      return "the text is probably cp1252 or Latin-1 (Western European), expected UTF-8: convert it first (iconv -f "
             "CP1252 -t UTF-8)";
    case Encoding::unknown:
      break;
  }
  return "convert the file to UTF-8 or remove the line";
}

std::string describe_byte(std::string_view line, std::size_t at) {
  std::array<char, 8> value{};
  std::snprintf(value.data(), value.size(), "0x%02X", static_cast<unsigned>(static_cast<unsigned char>(line[at])));
  return "invalid UTF-8 at byte " + std::to_string(at + 1) + " of the line (" + value.data() + "); ";
}

}  // namespace

void check_text(const std::string& path, std::string_view line, std::size_t number, bool first) {
  if (first && is_lfs_pointer(line)) {
    throw UserError(path, 0, "is a pointer of Git LFS, not the text itself; fetch the text with: git lfs pull");
  }
  if (first && is_html(line)) {
    throw UserError(path, 0,
                    "is an HTML page, expected plain text, one sentence a line; a download may have given a page "
                    "instead of the file: fetch the file itself, or take the sentences out of the page");
  }
  const std::size_t bad = first_invalid(line);
  if (bad != std::string_view::npos) {
    throw UserError(path, number, describe_byte(line, bad) + advice(guess_encoding(line)));
  }
  if (line.find('\0') != std::string_view::npos && guess_encoding(line) == Encoding::utf16) {
    throw UserError(path, number, advice(Encoding::utf16));
  }
}

}  // namespace dragoman
