// Random access to the lines of a text file. Memory: 8 bytes a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_stream.h"

namespace dragoman {

/// Lines are those of LineReader. Everything but the constructor is const and may be called by several threads.
class IndexedFile {
 public:
  /// Called once for each line in order while the index is built, with the line's number from 1.
  using Visitor = std::function<void(std::string_view line, std::size_t number)>;

  /// Reads the file once. `skip` lines at the start are not part of it (and not visited).
  explicit IndexedFile(std::string path, const Visitor& visit = {}, std::size_t skip = 0);

  [[nodiscard]] std::size_t size() const { return start_.size() - 1; }
  /// Bytes of line i with its end.
  [[nodiscard]] std::size_t bytes(std::size_t i) const { return start_[i + 1] - start_[i]; }
  /// Raises UserError when the file has become shorter since it was opened.
  void read(std::size_t i, std::string& line) const;
  /// Number of line i in the file, from 1.
  [[nodiscard]] std::size_t number(std::size_t i) const { return i + 1 + skip_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Size of the temporary file that a packed file (or a pipe) was unpacked into; 0: the file itself is read.
  [[nodiscard]] std::size_t temporary_bytes() const { return copied_ ? start_.back() : 0; }

 private:
  std::string path_;
  std::size_t skip_;
  bool copied_ = false;
  FileDescriptor fd_;
  std::vector<std::uint64_t> start_;  // of each line, then the end of the last
};

}  // namespace dragoman
