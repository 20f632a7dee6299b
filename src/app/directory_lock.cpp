#include "app/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace dragoman {

DirectoryLock::DirectoryLock(const std::filesystem::path& directory) {
  const std::string path = (directory / "lock").string();
  descriptor_ = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (descriptor_ < 0) throw UserError(path, 0, std::string("cannot make the lock: ") + std::strerror(errno));
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  const bool held = errno == EWOULDBLOCK;
  const std::string cause = std::strerror(errno);
  close(descriptor_);
  throw UserError(directory.string(), 0,
                  held ? "another training is running in this model directory; wait for it, or use another --model-dir"
                       : "cannot lock: " + cause);
}

DirectoryLock::~DirectoryLock() { close(descriptor_); }

}  // namespace dragoman
