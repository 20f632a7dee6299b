#include "data/text_check.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/error.h"
#include "core/utf8.h"
#include "io/line_reader.h"

namespace dragoman {

namespace {

constexpr std::size_t kEncodings = 5;

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

/// Perhaps within a packed file: 512 bytes of names and NULs before the first file.
bool is_tar(std::string_view line) { return line.size() >= 512 && line.substr(257, 5) == "ustar"; }

void check_first_line(const std::string& path, std::string_view line) {
  if (is_tar(line)) throw UserError(path, 0, "is a tar archive, expected text; unpack it first (tar -xf)");
  if (is_lfs_pointer(line)) {
    throw UserError(path, 0, "is a pointer of Git LFS, not the text itself; fetch the text with: git lfs pull");
  }
  if (is_html(line)) {
    throw UserError(path, 0,
                    "is an HTML page, expected plain text, one sentence a line; a download may have given a page "
                    "instead of the file: fetch the file itself, or take the sentences out of the page");
  }
}

const char* conversion(Encoding encoding) {
  switch (encoding) {
    case Encoding::utf16:
      return "iconv -f UTF-16LE -t UTF-8, or UTF-16BE";
    case Encoding::utf32:
      return "iconv -f UTF-32LE -t UTF-8, or UTF-32BE";
    case Encoding::cp949:
      return "iconv -f CP949 -t UTF-8";
    case Encoding::cp1252:
      return "iconv -f CP1252 -t UTF-8";
    case Encoding::unknown:
      break;
  }
  return "iconv";
}

std::string advice(Encoding encoding, const std::string& otherwise) {
  if (encoding == Encoding::unknown) return otherwise;
  return describe(encoding) + ", expected UTF-8: convert it first (" + conversion(encoding) + ")";
}

std::string describe_byte(std::string_view line, std::size_t at) {
  std::array<char, 8> value{};
  std::snprintf(value.data(), value.size(), "0x%02X", static_cast<unsigned>(static_cast<unsigned char>(line[at])));
  return "invalid UTF-8 at byte " + std::to_string(at + 1) + " of the line (" + value.data() + "); ";
}

bool is_wide(Encoding encoding) { return encoding == Encoding::utf16 || encoding == Encoding::utf32; }

/// Lines that are not empty, by what they are.
struct LineKinds {
  std::size_t all = 0;
  std::size_t good = 0;  // UTF-8 for the greater part, and more than ASCII
  std::size_t bad = 0;
  std::size_t first_bad = 0;  // from 1
  std::array<std::size_t, kEncodings> guessed{};

  void add(std::string_view line, std::size_t number) {
    if (line.empty()) return;
    ++all;
    const Encoding encoding = guess_encoding(line);
    const Utf8Count utf8 = count_utf8(line);
    good += utf8.valid > 0 && utf8.valid >= utf8.invalid && !is_wide(encoding);
    if (utf8.invalid == 0 && !is_wide(encoding)) return;
    if (bad++ == 0) first_bad = number;
    ++guessed[static_cast<std::size_t>(encoding)];
  }

  /// Western text in English is hard to tell from stray bytes, and so is what can't be guessed: a line or two don't
  /// make a file of it.
  [[nodiscard]] bool is_whole(Encoding encoding) const {
    const std::size_t count = guessed[static_cast<std::size_t>(encoding)];
    if (encoding == Encoding::unknown) return good == 0 && bad >= 3 && 10 * bad >= 9 * all;
    return 4 * good <= count && 2 * count > all && count >= (encoding == Encoding::cp1252 ? 3U : 1U);
  }
};

}  // namespace

std::string describe(Encoding encoding) {
  switch (encoding) {
    case Encoding::utf16:
      return "the text looks like UTF-16 without byte order mark (NUL at every second byte)";
    case Encoding::utf32:
      return "the text looks like UTF-32 without byte order mark (two or three NULs in every four bytes)";
    case Encoding::cp949:
      return "the text is probably cp949 or EUC-KR (Korean)";
    case Encoding::cp1252:
      return "the text is probably cp1252 or Latin-1 (Western European)";
    case Encoding::unknown:
      break;
  }
  return {};
}

void check_text(const std::string& path, std::string_view line, std::size_t number, bool first) {
  if (first) check_first_line(path, line);
  const std::size_t bad = first_invalid(line);
  if (bad == std::string_view::npos && line.find('\0') == std::string_view::npos) return;
  const Encoding encoding = guess_encoding(line);
  if (is_wide(encoding)) throw UserError(path, number, advice(encoding, ""));
  if (bad == std::string_view::npos) return;
  throw UserError(path, number,
                  describe_byte(line, bad) + advice(encoding, "convert the file to UTF-8 or remove the line"));
}

void check_beginning(const std::string& name, std::span<const std::string> lines) {
  if (lines.empty()) return;
  check_first_line(name, lines[0]);
  LineKinds kinds;
  for (std::size_t i = 0; i < lines.size(); ++i) kinds.add(lines[i], i + 1);
  for (std::size_t i = kEncodings; i-- > 0;) {
    const auto encoding = static_cast<Encoding>(i);
    if (!kinds.is_whole(encoding)) continue;
    throw UserError(name, kinds.first_bad,
                    std::to_string(kinds.bad) + " of the first " + std::to_string(kinds.all) +
                        " lines are not UTF-8; " +
                        advice(encoding, "expected text in UTF-8: convert it first (iconv)"));
  }
}

std::vector<std::string> read_text(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) {
    check_text(reader.name(), line, reader.number(), reader.number() == 1);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace dragoman
