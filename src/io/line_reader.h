// The one reader of lines: files, packed files, standard input.
//
// A line ends at LF and nowhere else (U+2028, VT, a lone CR and the like are ordinary characters). One CR right
// before the LF, or at the very end of the file, is dropped. A last line without LF counts. A UTF-8 byte order
// mark at the start of the file is dropped. NUL bytes and invalid UTF-8 are passed on as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/byte_stream.h"

namespace dragoman {

/// A longer line is no line of text: a few packed bytes, or a device, would fill the memory.
inline constexpr std::size_t kMaxLineBytes = std::size_t{1} << 24;

class LineReader {
 public:
  /// "-" is standard input. Raises UserError: missing, unreadable, a directory, a packed file that is broken
  /// or can't be unpacked, UTF-16, UTF-32, a line of more
  /// than kMaxLineBytes.
  explicit LineReader(const std::string& path) : LineReader(ByteStream(path)) {}
  explicit LineReader(ByteStream stream);

  /// The next line without its end; false when there is none.
  bool next(std::string& line);

  /// After a first line: is there a whole one more, or the end, without waiting for whoever writes them?
  bool is_ready();

  /// Number of the line that next() gave last, from 1; how many lines there are once next() says false.
  [[nodiscard]] std::size_t number() const { return number_; }
  /// Offset of that line's first byte in the unpacked text.
  [[nodiscard]] std::uint64_t start() const { return start_; }
  /// Offset behind that line's end (LF included).
  [[nodiscard]] std::uint64_t end() const { return end_; }
  [[nodiscard]] const std::string& name() const { return stream_.name(); }

 private:
  bool fill();
  void skip_byte_order_mark();

  ByteStream stream_;
  std::vector<char> buffer_;  // [used_, filled_) is not used yet
  std::size_t used_ = 0;
  std::size_t filled_ = 0;
  std::size_t number_ = 0;
  std::uint64_t start_ = 0;
  std::uint64_t end_ = 0;
  bool begun_ = false;
};

/// Drops one LF at the end, then one CR.
void strip_line_end(std::string& line);

/// All lines of a file, for small files.
[[nodiscard]] std::vector<std::string> read_lines(const std::string& path);

}  // namespace dragoman
