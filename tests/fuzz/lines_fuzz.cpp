// Lines of text: plain, packed by us and packed by the input; one by one, by number, as parallel text and as TSV.
#include <zlib.h>

#include "core/utf8.h"
#include "data/corpus.h"
#include "io/line_reader.h"
#include "io/unpacker.h"
#include "support.h"

using namespace dragoman;

namespace {

/// The rule in its plainest form: LF ends a line, one CR before it is dropped, a byte order mark too.
std::vector<std::string> expected_lines(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string gzip(std::string_view text) {
  z_stream z{};
  fuzz::require(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib starts");
  std::string packed(deflateBound(&z, text.size()), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(packed.data());
  z.avail_out = static_cast<uInt>(packed.size());
  fuzz::require(deflate(&z, Z_FINISH) == Z_STREAM_END, "zlib packs");
  packed.resize(z.total_out);
  deflateEnd(&z);
  return packed;
}

void check_file(const std::string& path, const std::vector<std::string>& expected) {
  fuzz::require(read_lines(path) == expected, "lines are what LF ends");
  const IndexedFile indexed(path);
  fuzz::require(indexed.size() == expected.size(), "as many by number");
  std::string line;
  for (std::size_t i = expected.size(); i-- > 0;) {
    indexed.read(i, line);
    fuzz::require(line == expected[i], "the same by number");
  }
}

void check_corpora(const std::string& path, const std::vector<std::string>& expected) {
  std::string source;
  std::string target;
  fuzz::accepted(path, [&] {
    const Corpus pairs({.source = {path}, .target = {path}, .tsv = {}});
    fuzz::require(pairs.size() == expected.size(), "a pair for each line");
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      pairs.read(i, source, target);
      fuzz::require(source == expected[i] && target == source, "both sides are the line");
      fuzz::require(first_invalid(source) == std::string::npos, "accepted text is UTF-8");
    }
  });
  fuzz::accepted(path, [&] {
    const Corpus pairs({.source = {}, .target = {}, .tsv = {path}});
    fuzz::require(pairs.size() == expected.size(), "a pair for each line");
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      pairs.read(i, source, target);
      const std::string both = source + "\t" + target;
      fuzz::require(expected[i] == both || expected[i].starts_with(both + "\t"), "the first two columns");
      fuzz::require((source + target).find('\t') == std::string::npos, "no TAB inside a column");
    }
  });
}

/// Whatever is in the file: text or a clear error, the same one by one and by number.
void check_any(const std::string& bytes) {
  const fuzz::MemoryFile file(bytes);
  fuzz::accepted(file.path(), [&] { check_file(file.path(), read_lines(file.path())); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  const std::string text(data, size);
  const std::string packed = gzip(text);
  const fuzz::MemoryFile plain(text);
  const fuzz::MemoryFile zipped(packed);
  const bool is_packed = find_packed(text) != nullptr;
  using namespace std::string_view_literals;
  const bool is_wide =
      text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") || text.starts_with("\0\0\xFE\xFF"sv);
  const std::vector<std::string> expected = expected_lines(text);
  if (!is_packed) {
    const bool good = fuzz::accepted(plain.path(), [&] { check_file(plain.path(), expected); });
    fuzz::require(good != is_wide, "any bytes are lines but UTF-16 and UTF-32");
    if (good) check_corpora(plain.path(), expected);
  } else {
    check_any(text);
  }
  const bool good = fuzz::accepted(zipped.path(), [&] { check_file(zipped.path(), expected); });
  fuzz::require(good != is_wide, "packing changes nothing");

  // Damage at places that depend on the input.
  const std::size_t place = std::hash<std::string>{}(text) % packed.size();
  check_any(packed.substr(0, place));
  std::string flipped = packed;
  flipped[place] = static_cast<char>(flipped[place] ^ (1 << (size % 8)));
  check_any(flipped);
  check_any(packed + text);
  return 0;
}
