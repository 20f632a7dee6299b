// Bytes of a file, of standard input or of a packed file, as one stream.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/unpacker.h"

namespace dragoman {

/// Owns a POSIX file descriptor (-1: none).
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();

  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_ = -1;
};

/// Opens for reading; "-" is standard input. A missing or unreadable file or a directory is a UserError.
[[nodiscard]] FileDescriptor open_file(const std::string& path);

/// A descriptor at offset 0 whose bytes are the unpacked contents of the file and which can be read at any
/// place. That is the file itself where possible; a packed file, a pipe and standard input are copied into a
/// temporary file that has no name any more and vanishes with its descriptor; `copied` is set then. UserError: a
/// device, which may never end.
[[nodiscard]] FileDescriptor open_random_access(const std::string& path, bool& copied);

/// All bytes of a regular file. UserError: missing, something else (a FIFO could wait for ever, a device never end),
/// or more than `limit` bytes.
[[nodiscard]] std::string read_small_file(const std::string& path, std::size_t limit);

/// Reads bytes as they come: a terminal or a pipe is never waited on for more than it has. A packed file,
/// recognized by its first bytes whatever its name, is unpacked (several members too). UserError: it is truncated or
/// corrupt, or its format can't be unpacked (io/unpacker.h).
class ByteStream {
 public:
  explicit ByteStream(const std::string& path);
  /// A descriptor, read as it is unless it is to be looked at for a packed file; `name` is for error messages.
  ByteStream(FileDescriptor fd, std::string name, bool detect_packed = false);
  ByteStream(ByteStream&&) noexcept;
  ~ByteStream();

  /// At most `capacity` bytes into `out`; how many, 0 only at the end.
  std::size_t read(char* out, std::size_t capacity);
  /// The same without waiting: nothing when a pipe or a terminal has no more bytes yet. Only after a first read().
  std::optional<std::size_t> read_ready(char* out, std::size_t capacity);
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  void detect();
  bool fill();  // more packed bytes; false at the end, or when they would have to be waited for
  Unpacked unpack(char* out, std::size_t capacity);  // a step
  std::size_t read_packed(char* out, std::size_t capacity);

  FileDescriptor fd_;
  std::string name_;
  std::vector<char> buffer_;  // read from the file and not used yet: [used_, filled_)
  std::size_t used_ = 0;
  std::size_t filled_ = 0;
  bool detected_ = false;
  bool ended_ = false;  // a terminal would go on after its end
  bool waits_ = true;
  bool dry_ = false;  // fill() would have waited
  const PackedFormat* format_ = nullptr;
  std::unique_ptr<Unpacker> unpacker_;
  bool between_members_ = true;
  bool pending_ = false;  // the last step filled its output and may have more
};

}  // namespace dragoman
