#include "io/byte_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/error.h"

namespace dragoman {

namespace {

constexpr std::size_t kChunk = 1 << 16;
constexpr unsigned char kGzipMagic[2] = {0x1f, 0x8b};

[[noreturn]] void fail(const std::string& name) { throw UserError(name, 0, std::strerror(errno)); }

std::string display_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::size_t read_some(int fd, char* out, std::size_t capacity, const std::string& name) {
  for (;;) {
    const ssize_t n = ::read(fd, out, capacity);
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno != EINTR) fail(name);
  }
}

FileDescriptor anonymous_file() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) {
    throw UserError("the folder for temporary files (TMPDIR): " + error.message() + "; unpacked text needs one");
  }
  std::string pattern = (folder / "dragoman-XXXXXX").string();
  FileDescriptor fd(::mkstemp(pattern.data()));
  if (fd.get() < 0)
    throw UserError(folder.string(), 0, std::string("cannot make a temporary file: ") + std::strerror(errno));
  ::unlink(pattern.c_str());
  return fd;
}

void write_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("temporary file for unpacked text");
    data += n;
    size -= static_cast<std::size_t>(n);
  }
}

bool is_plain(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return false;
  if (::lseek(fd, 0, SEEK_CUR) != 0) return false;
  unsigned char magic[2];
  return ::pread(fd, magic, 2, 0) != 2 || std::memcmp(magic, kGzipMagic, 2) != 0;
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

FileDescriptor open_file(const std::string& path) {
  FileDescriptor fd(path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) fail(display_name(path));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) fail(display_name(path));
  if (S_ISDIR(info.st_mode)) throw UserError(path, 0, "is a directory, expected a file");
  return fd;
}

std::string read_small_file(const std::string& path, std::size_t limit) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a FIFO must not hang it
  if (fd.get() < 0) fail(path);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) fail(path);
  if (!S_ISREG(info.st_mode)) throw UserError(path, 0, "is not a regular file");
  std::string contents;
  char chunk[1 << 14];
  while (const std::size_t n = read_some(fd.get(), chunk, sizeof chunk, path)) {
    contents.append(chunk, n);
    if (contents.size() > limit) {
      throw UserError(path, 0, "has more than the " + std::to_string(limit) + " bytes that are expected at most");
    }
  }
  return contents;
}

FileDescriptor open_random_access(const std::string& path, bool& copied) {
  FileDescriptor file = open_file(path);
  struct stat info {};
  if (path != "-" && ::fstat(file.get(), &info) == 0 && (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode))) {
    throw UserError(path, 0, "is a device, expected a file");
  }
  if (is_plain(file.get())) return file;
  copied = true;
  ByteStream stream(std::move(file), display_name(path), true);  // a pipe can't be opened a second time
  FileDescriptor copy = anonymous_file();
  std::vector<char> chunk(kChunk);
  while (const std::size_t n = stream.read(chunk.data(), chunk.size())) write_all(copy.get(), chunk.data(), n);
  if (::lseek(copy.get(), 0, SEEK_SET) != 0) fail(path);
  return copy;
}

struct ByteStream::Unpacker {
  z_stream z{};
  bool between_members = true;
  Unpacker() { CHECK(inflateInit2(&z, 15 + 16) == Z_OK, "zlib"); }
  ~Unpacker() { inflateEnd(&z); }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
};

ByteStream::ByteStream(const std::string& path) : fd_(open_file(path)), name_(display_name(path)), buffer_(kChunk) {}

ByteStream::ByteStream(FileDescriptor fd, std::string name, bool detect_gzip)
    : fd_(std::move(fd)), name_(std::move(name)), buffer_(kChunk), detected_(!detect_gzip) {}

ByteStream::ByteStream(ByteStream&&) noexcept = default;
ByteStream::~ByteStream() = default;

bool ByteStream::fill() {
  used_ = 0;
  filled_ = read_some(fd_.get(), buffer_.data(), buffer_.size(), name_);
  return filled_ > 0;
}

void ByteStream::detect() {
  detected_ = true;
  if (!fill() || static_cast<unsigned char>(buffer_[0]) != kGzipMagic[0]) return;
  if (filled_ == 1) filled_ += read_some(fd_.get(), buffer_.data() + 1, buffer_.size() - 1, name_);
  if (filled_ >= 2 && static_cast<unsigned char>(buffer_[1]) == kGzipMagic[1]) unpacker_ = std::make_unique<Unpacker>();
}

std::size_t ByteStream::read(char* out, std::size_t capacity) {
  if (!detected_) detect();
  if (unpacker_) return read_packed(out, capacity);
  if (used_ == filled_ && !fill()) return 0;
  const std::size_t n = std::min(capacity, filled_ - used_);
  std::memcpy(out, buffer_.data() + used_, n);
  used_ += n;
  return n;
}

std::size_t ByteStream::read_packed(char* out, std::size_t capacity) {
  z_stream& z = unpacker_->z;
  z.next_out = reinterpret_cast<Bytef*>(out);
  z.avail_out = static_cast<uInt>(capacity);
  while (z.avail_out == capacity) {
    if (used_ == filled_ && !fill()) {
      if (unpacker_->between_members) return 0;
      throw UserError(name_, 0, "the gzip file is truncated");
    }
    if (unpacker_->between_members) {
      // Zero bytes behind the last member are padding.
      while (used_ < filled_ && buffer_[used_] == 0) ++used_;
      if (used_ == filled_) continue;
      unpacker_->between_members = false;
    }
    z.next_in = reinterpret_cast<Bytef*>(buffer_.data() + used_);
    z.avail_in = static_cast<uInt>(filled_ - used_);
    const int status = inflate(&z, Z_NO_FLUSH);
    used_ = filled_ - z.avail_in;
    if (status == Z_STREAM_END) {
      inflateReset(&z);
      unpacker_->between_members = true;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw UserError(name_, 0, std::string("the gzip file is corrupt: ") + (z.msg ? z.msg : "unknown error"));
    }
  }
  return capacity - z.avail_out;
}

}  // namespace dragoman
