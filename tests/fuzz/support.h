// What the fuzz targets share: files in memory, and properties that must hold.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/error.h"

namespace dragoman::fuzz {

/// Stops the fuzzer, which then keeps the input.
inline void require(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "does not hold: %s\n", what.c_str());
  std::abort();
}

/// A file that is never on a disk.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view contents) : fd_(::memfd_create("fuzz", 0)) {
    require(fd_ >= 0 && ::write(fd_, contents.data(), contents.size()) == static_cast<ssize_t>(contents.size()),
            "a file in memory can be written");
  }
  ~MemoryFile() { ::close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

/// Runs `call`; false when it raises a UserError, whose message must begin with `where` and be fit for a terminal.
template <class Call>
bool accepted(const std::string& where, Call call) {
  try {
    call();
    return true;
  } catch (const UserError& error) {
    const std::string message = error.what();
    require(message.starts_with(where), "the message begins with " + where + ": " + message);
    for (const char c : message) {
      require(static_cast<unsigned char>(c) >= 0x20 || c == '\n', "no control character in: " + message);
    }
    return false;
  }
}

}  // namespace dragoman::fuzz
