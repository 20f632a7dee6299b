#include "io/atomic_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "core/error.h"
#include "io/checksum.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".dragoman-tmp.";

/// Nobody knows temporary names: the path that they stand for.
std::string shown(const std::string& path) {
  fs::path names;
  for (const fs::path& part : fs::path(path)) {
    const std::string name = part.string();
    const std::size_t mark = name.find(kMark);
    names /= name.starts_with('.') && mark != std::string::npos ? name.substr(1, mark - 1) : name;
  }
  return names.string();
}

[[noreturn]] void fail(const std::string& path, const std::string& operation, int error) {
  throw UserError(shown(path), 0, "cannot " + operation + ": " + std::strerror(error));
}

/// "runs/model/" and "model" have a name and a folder too.
fs::path without_trailing_slash(const std::string& path) {
  const fs::path whole(path);
  return whole.has_filename() || !whole.has_relative_path() ? whole : whole.parent_path();
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

/// A name beside path that nothing in this process uses; not too long where the path's own name is not.
std::string temporary_name(const std::string& path) {
  constexpr std::size_t kLongest = 150;
  static std::atomic<unsigned> counter{0};
  const fs::path target = without_trailing_slash(path);
  if (!target.has_filename()) throw UserError(path, 0, "not a name to write to");
  const std::string name = "." + target.filename().string().substr(0, kLongest) + std::string(kMark) +
                           std::to_string(::getpid()) + "." + std::to_string(counter++);
  return (folder_of(target) / name).string();
}

int open_retrying(const std::string& path, int flags, mode_t mode = 0) {
  int descriptor = -1;
  do {
    descriptor = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

/// Nothing could be created for the path: a missing folder is what is most often to blame.
[[noreturn]] void fail_to_create(const std::string& path, int error) {
  const std::string folder = shown(folder_of(without_trailing_slash(path)).string());
  if (error == ENOENT)
    throw UserError(shown(path), 0, "cannot create: there is no folder " + folder + "; make it first");
  fail(path, "create a file in " + folder, error);
}

/// What replaces a file belongs to the same people and is as open or closed. Only root may give files away, and some
/// file systems know no permissions: then it stays more closed.
void keep_owner_and_mode(int descriptor, const struct stat& old) {
  const bool same_group = ::fchown(descriptor, old.st_uid, old.st_gid) == 0 ||
                          ::fchown(descriptor, static_cast<uid_t>(-1), old.st_gid) == 0;
  if (::fchmod(descriptor, old.st_mode & (same_group ? 0777U : 0707U)) != 0) return;
}

/// Some file systems can't fsync a directory and answer EINVAL; nothing is lost there by going on.
void sync_path(const std::string& path, bool directory) {
  const int descriptor = open_retrying(path, O_RDONLY | (directory ? O_DIRECTORY : 0));
  if (descriptor < 0) fail(path, "open for fsync", errno);
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (error != 0 && !(directory && error == EINVAL)) fail(path, "fsync", error);
}

void sync_folder_of(const std::string& path) { sync_path(folder_of(without_trailing_slash(path)).string(), true); }

void remove_quietly(const std::string& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

/// Puts the directory at `from` in the place of the non-empty directory `to`; the old one ends up at `from`.
void exchange_directories(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) return;
  const std::string aside = temporary_name(to);
  if (std::rename(to.c_str(), aside.c_str()) != 0) fail(to, "put it aside", errno);
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    const int error = errno;
    std::rename(aside.c_str(), to.c_str());
    fail(to, "put the new one in its place", error);
  }
  if (std::rename(aside.c_str(), from.c_str()) != 0) fail(to, "remove what was there", errno);
}

}  // namespace

int write_all(int descriptor, const void* data, std::size_t bytes) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(descriptor, next, bytes);
    if (written < 0 && errno == EAGAIN) {  // a pipe that others made non-blocking
      pollfd room{descriptor, POLLOUT, 0};
      ::poll(&room, 1, -1);
    } else if (written < 0 && errno != EINTR) {
      return errno;
    } else if (written > 0) {
      next += written;
      bytes -= static_cast<std::size_t>(written);
    }
  }
  return 0;
}

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), temporary_(temporary_name(path_)) {
  struct stat old {};
  const bool exists = ::lstat(path_.c_str(), &old) == 0;
  const bool replaces_file = exists && S_ISREG(old.st_mode);
  if (exists && !replaces_file && !S_ISLNK(old.st_mode)) {
    throw UserError(shown(path_), 0, "cannot write: it exists and is not a regular file");
  }
  if (replaces_file && ::faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) != 0) fail(path_, "write", errno);
  // Not open to more people than the old file, not even while it is written.
  descriptor_ = open_retrying(temporary_, O_WRONLY | O_CREAT | O_EXCL, replaces_file ? 0600 : 0666);
  if (descriptor_ < 0) fail_to_create(path_, errno);
  if (replaces_file) keep_owner_and_mode(descriptor_, old);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  CHECK(descriptor_ >= 0, "AtomicFile: write after commit");
  if (const int error = write_all(descriptor_, data, bytes); error != 0) fail(path_, "write", error);
  checksum_ = crc32(checksum_, {static_cast<const char*>(data), bytes});
}

void AtomicFile::commit() {
  CHECK(descriptor_ >= 0, "AtomicFile: commit twice");
  if (::fsync(descriptor_) != 0) fail(path_, "fsync", errno);
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail(path_, "close", errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, "put it in its place", errno);
  temporary_.clear();
  sync_folder_of(path_);
}

void write_file_atomically(const std::string& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

void sync_file(const std::string& path) { sync_path(path, false); }

void append_to_file(const std::string& path, std::string_view text) {
  // In a directory that came from elsewhere a link may point at anything, and a FIFO would be waited for.
  constexpr int kNoTraps = O_NOFOLLOW | O_NONBLOCK;
  struct stat status {};
  const bool there = ::lstat(path.c_str(), &status) == 0;
  if (there && !S_ISREG(status.st_mode)) {
    throw UserError(path, 0, "cannot append: it is a link or no regular file; move it away, or put a file there");
  }
  const int descriptor = open_retrying(path, O_WRONLY | O_CREAT | O_APPEND | kNoTraps, 0666);
  if (descriptor < 0) fail(path, "open to append", errno);
  const int error = write_all(descriptor, text.data(), text.size());
  if (::close(descriptor) != 0 && error == 0) fail(path, "close", errno);
  if (error != 0) fail(path, "append", error);
}

AtomicDirectory::AtomicDirectory(const std::string& path) : path_(without_trailing_slash(path).string()) {
  temporary_ = temporary_name(path_);
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && !S_ISDIR(status.st_mode)) {
    throw UserError(path_, 0, "cannot write a directory: a file has this name");
  }
  if (::mkdir(temporary_.c_str(), 0777) != 0) fail_to_create(path_, errno);
}

AtomicDirectory::~AtomicDirectory() {
  if (!committed_) remove_quietly(temporary_);
}

void AtomicDirectory::commit() {
  CHECK(!committed_, "AtomicDirectory: commit twice");
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    if (errno != ENOTEMPTY && errno != EEXIST) fail(path_, "put it in its place", errno);
    exchange_directories(temporary_, path_);
  }
  committed_ = true;
  sync_folder_of(path_);
  remove_quietly(temporary_);  // the old directory, after an exchange
}

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw UserError(path, 0, "cannot create the folder: " + error.message());
}

void make_subfolder(const std::string& path) {
  std::error_code error;
  fs::create_directory(path, error);
  if (error) throw UserError(path, 0, "cannot create the folder: " + error.message());
}

void remove_whole(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) throw UserError(path, 0, "cannot remove: " + error.message());
}

void remove_stale_temporaries(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const std::size_t mark = name.find(kMark);
    if (name.starts_with('.') && mark != std::string::npos && mark > 1 &&
        name.find_first_not_of("0123456789.", mark + kMark.size()) == std::string::npos) {
      remove_quietly(entry.path().string());
    }
  }
}

}  // namespace dragoman
