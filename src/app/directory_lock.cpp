#include "app/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace dragoman {

namespace {

/// The same file; none is never the same.
bool same(int descriptor, const std::string& path) {
  struct stat ours {
  }, there{};
  return fstat(descriptor, &ours) == 0 && lstat(path.c_str(), &there) == 0 && ours.st_dev == there.st_dev &&
         ours.st_ino == there.st_ino;
}

}  // namespace

DirectoryLock::DirectoryLock(const std::filesystem::path& directory) : directory_(directory) {
  const std::string path = (directory / "lock").string();
  struct stat status {};
  const bool odd = lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  if (odd) throw UserError(path, 0, "cannot make the lock: it is a link or no regular file; remove it");
  descriptor_ = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
  if (descriptor_ < 0) throw UserError(path, 0, std::string("cannot make the lock: ") + std::strerror(errno));
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  const bool held = errno == EWOULDBLOCK;
  const std::string cause = std::strerror(errno);
  close(descriptor_);
  throw UserError(directory.string(), 0,
                  held ? "another training is running in this model directory; wait for it, or use another --model-dir"
                       : "cannot lock: " + cause);
}

void DirectoryLock::check() const {
  if (same(descriptor_, (directory_ / "lock").string())) return;
  throw UserError(
      directory_.string(), 0,
      "is not this training's any more: it was removed or moved, or another training has it; this one stops "
      "and writes nothing more there");
}

DirectoryLock::~DirectoryLock() { close(descriptor_); }

}  // namespace dragoman
