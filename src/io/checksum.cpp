#include "io/checksum.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "core/error.h"
#include "io/byte_stream.h"

namespace dragoman {

std::uint32_t crc32(std::uint32_t before, std::string_view text) {
  return static_cast<std::uint32_t>(::crc32_z(before, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

std::uint32_t crc32_of_file(const std::string& path) {
  constexpr std::size_t kChunk = 1 << 20;
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a FIFO must not hang it
  if (file.get() < 0) throw UserError(path, 0, std::strerror(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) throw UserError(path, 0, "is not a regular file");
  ByteStream stream(std::move(file), path);
  std::vector<char> chunk(kChunk);
  std::uint32_t checksum = 0;
  while (const std::size_t n = stream.read(chunk.data(), chunk.size())) checksum = crc32(checksum, {chunk.data(), n});
  return checksum;
}

bool has_checksum(const std::string& path, std::uint32_t checksum) {
  try {
    return crc32_of_file(path) == checksum;
  } catch (const UserError&) {
    return false;
  }
}

std::string checksum_text(std::uint32_t checksum) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(checksum));
  return text;
}

}  // namespace dragoman
