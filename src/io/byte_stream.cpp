#include "io/byte_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "core/error.h"
#include "io/atomic_file.h"

namespace dragoman {

namespace {

constexpr std::size_t kChunk = 1 << 16;

[[noreturn]] void fail(const std::string& name) { throw UserError(name, 0, std::strerror(errno)); }

std::string display_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::size_t read_some(int fd, char* out, std::size_t capacity, const std::string& name) {
  for (;;) {
    const ssize_t n = ::read(fd, out, capacity);
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno == EAGAIN || errno == EWOULDBLOCK) {  // whoever shares the pipe or terminal made it non-blocking
      pollfd wanted{fd, POLLIN, 0};
      if (::poll(&wanted, 1, -1) >= 0) continue;
    }
    if (errno != EINTR) fail(name);
  }
}

/// Would read() return at once? (At the end it does.)
bool is_readable(int fd) {
  pollfd wanted{fd, POLLIN, 0};
  return ::poll(&wanted, 1, 0) > 0;
}

std::filesystem::path temporary_folder() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (!error) return folder;
  throw UserError("the folder for temporary files (TMPDIR): " + error.message() + "; unpacked text needs one");
}

FileDescriptor anonymous_file() {
  const std::filesystem::path folder = temporary_folder();
  std::string pattern = (folder / "dragoman-XXXXXX").string();
  FileDescriptor fd(::mkstemp(pattern.data()));
  if (fd.get() < 0)
    throw UserError(folder.string(), 0, std::string("cannot make a temporary file: ") + std::strerror(errno));
  ::unlink(pattern.c_str());
  return fd;
}

void write_temporary(int fd, const char* data, std::size_t size) {
  const int error = write_all(fd, data, size);
  if (error == 0) return;
  throw UserError("temporary file for unpacked text in " + temporary_folder().string() +
                  " (TMPDIR): " + std::strerror(error));
}

bool is_plain(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return false;
  if (::lseek(fd, 0, SEEK_CUR) != 0) return false;
  char begin[kMagicBytes];
  const ssize_t n = ::pread(fd, begin, sizeof begin, 0);
  return n <= 0 || find_packed({begin, static_cast<std::size_t>(n)}) == nullptr;
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
  while (const std::size_t n = stream.read(chunk.data(), chunk.size())) write_temporary(copy.get(), chunk.data(), n);
  if (::lseek(copy.get(), 0, SEEK_SET) != 0) fail(path);
  return copy;
}

ByteStream::ByteStream(const std::string& path) : fd_(open_file(path)), name_(display_name(path)), buffer_(kChunk) {}

ByteStream::ByteStream(FileDescriptor fd, std::string name, bool detect_packed)
    : fd_(std::move(fd)), name_(std::move(name)), buffer_(kChunk), detected_(!detect_packed) {}

ByteStream::ByteStream(ByteStream&&) noexcept = default;
ByteStream::~ByteStream() = default;

bool ByteStream::fill() {
  used_ = filled_ = 0;
  if (ended_) return false;
  dry_ = !waits_ && !is_readable(fd_.get());
  if (dry_) return false;
  filled_ = read_some(fd_.get(), buffer_.data(), buffer_.size(), name_);
  ended_ = filled_ == 0;
  return !ended_;
}

// Reads on only while what is there could still become a packed file: see LineReader::skip_byte_order_mark.
void ByteStream::detect() {
  detected_ = true;
  if (!fill()) return;
  const auto begin = [this] { return std::string_view(buffer_.data(), filled_); };
  while (could_be_packed(begin())) {
    const std::size_t n = read_some(fd_.get(), buffer_.data() + filled_, buffer_.size() - filled_, name_);
    ended_ = n == 0;
    if (ended_) break;
    filled_ += n;
  }
  format_ = find_packed(begin());
  if (format_ == nullptr) return;
  if (format_->unpack == nullptr) {
    throw UserError(name_, 0, std::string("is a ") + format_->name + " file, expected text; " + format_->advice);
  }
  unpacker_ = format_->unpack();
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

std::optional<std::size_t> ByteStream::read_ready(char* out, std::size_t capacity) {
  CHECK(detected_, "ByteStream: read_ready before read");
  waits_ = dry_ = false;
  const std::size_t n = read(out, capacity);
  waits_ = true;
  if (n == 0 && dry_) return std::nullopt;
  return n;
}

Unpacked ByteStream::unpack(char* out, std::size_t capacity) {
  const std::string_view packed(buffer_.data() + used_, filled_ - used_);
  try {
    const Unpacked done = unpacker_->step(packed, out, capacity);
    if (!packed.empty() && done.taken == 0 && done.made == 0 && !done.ended) throw BrokenFile("it doesn't go on");
    return done;
  } catch (const BrokenFile& e) {
    throw UserError(name_, 0, std::string("the ") + format_->name + " file is corrupt: " + e.what());
  }
}

std::size_t ByteStream::read_packed(char* out, std::size_t capacity) {
  for (;;) {
    if (used_ == filled_ && !pending_ && !fill()) {
      if (between_members_ || dry_) return 0;
      throw UserError(name_, 0, std::string("the ") + format_->name + " file is truncated");
    }
    if (between_members_) {
      // Zero bytes behind the last member are padding.
      while (used_ < filled_ && buffer_[used_] == 0) ++used_;
      if (used_ == filled_) continue;
    }
    const Unpacked done = unpack(out, capacity);
    used_ += done.taken;
    between_members_ = done.ended;
    pending_ = !done.ended && done.made == capacity;
    if (done.made > 0) return done.made;
  }
}

}  // namespace dragoman
