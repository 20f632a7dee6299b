// Preloaded into the program (LD_PRELOAD) by tests: counts the calls that change files below a folder, and lets one of
// them fail, or kills the process there.
//
//   FAULT_FOLDER   the folder
//   FAULT_CALL     number of the call, from 1; 0: none
//   FAULT_KIND     an errno in digits: the call fails with it and does nothing
//                  kill: SIGKILL instead of the call
//                  torn: a write does half of its work, then SIGKILL (other calls: as kill)
//   FAULT_COUNT    a file that gets the number of calls, one line a process, when it ends
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

const char* setting(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? text : "";
}

bool below_folder(const char* path) {
  if (path == nullptr) return false;
  std::string whole = path;
  if (path[0] != '/') {
    char folder[PATH_MAX];
    if (::getcwd(folder, sizeof folder) == nullptr) return false;
    whole = std::string(folder) + "/" + path;
  }
  return whole.starts_with(setting("FAULT_FOLDER"));
}

/// Is the descriptor a file below the folder that is open for writing?
bool below_folder(int descriptor) {
  if (descriptor < 0 || (::fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY) return false;
  char path[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = ::readlink(link.c_str(), path, sizeof path - 1);
  if (length <= 0) return false;
  path[length] = '\0';
  return path[0] == '/' && below_folder(path);
}

std::atomic<long> calls{0};

/// Counts a call. 0: do it; else it is the one: the errno to fail with, or -1 for a torn write.
int fault() {
  if (++calls != std::atol(setting("FAULT_CALL"))) return 0;
  const std::string kind = setting("FAULT_KIND");
  if (kind == "torn") return -1;
  if (kind == "kill") ::kill(::getpid(), SIGKILL);
  return std::atoi(kind.c_str());
}

/// For calls that answer 0 or a descriptor, and -1 with errno.
bool fails(bool counted) {
  if (!counted) return false;
  const int error = fault();
  if (error < 0) ::kill(::getpid(), SIGKILL);
  errno = error;
  return error != 0;
}

struct Counter {
  ~Counter() {
    const char* path = std::getenv("FAULT_COUNT");
    if (path == nullptr) return;
    const int file = next<int(const char*, int, ...)>("open")(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    const std::string line = std::to_string(calls.load()) + "\n";
    if (next<ssize_t(int, const void*, size_t)>("write")(file, line.data(), line.size()) < 0) std::abort();
    next<int(int)>("close")(file);
  }
} counter;

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const auto mode = static_cast<mode_t>((flags & O_CREAT) != 0 ? va_arg(rest, int) : 0);
  va_end(rest);
  if (fails((flags & O_ACCMODE) != O_RDONLY && below_folder(path))) return -1;
  return next<int(const char*, int, ...)>("open")(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const auto mode = static_cast<mode_t>((flags & O_CREAT) != 0 ? va_arg(rest, int) : 0);
  va_end(rest);
  return open(path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
  if (fails(mode[0] != 'r' && below_folder(path))) return nullptr;
  return next<FILE*(const char*, const char*)>("fopen")(path, mode);
}

FILE* fopen64(const char* path, const char* mode) { return fopen(path, mode); }

ssize_t write(int descriptor, const void* data, size_t bytes) {
  const auto real = next<ssize_t(int, const void*, size_t)>("write");
  if (below_folder(descriptor)) {
    const int error = fault();
    if (error < 0) {
      if (real(descriptor, data, bytes / 2) >= 0) ::kill(::getpid(), SIGKILL);
      std::abort();
    }
    if (error > 0) {
      errno = error;
      return -1;
    }
  }
  return real(descriptor, data, bytes);
}

ssize_t writev(int descriptor, const iovec* parts, int count) {
  if (fails(below_folder(descriptor))) return -1;
  return next<ssize_t(int, const iovec*, int)>("writev")(descriptor, parts, count);
}

size_t fwrite(const void* data, size_t size, size_t count, FILE* file) {
  if (fails(below_folder(::fileno(file)))) return 0;
  return next<size_t(const void*, size_t, size_t, FILE*)>("fwrite")(data, size, count, file);
}

int fsync(int descriptor) {
  if (fails(true)) return -1;  // of folders, too, which are open for reading
  return next<int(int)>("fsync")(descriptor);
}

int close(int descriptor) {
  const bool failed = fails(below_folder(descriptor));
  const int error = errno;
  const int result = next<int(int)>("close")(descriptor);
  if (!failed) return result;
  errno = error;
  return -1;
}

int rename(const char* from, const char* to) {
  if (fails(below_folder(to))) return -1;
  return next<int(const char*, const char*)>("rename")(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  if (fails(below_folder(to))) return -1;
  return next<int(int, const char*, int, const char*, unsigned)>("renameat2")(from_folder, from, to_folder, to, flags);
}

int mkdir(const char* path, mode_t mode) {
  if (fails(below_folder(path))) return -1;
  return next<int(const char*, mode_t)>("mkdir")(path, mode);
}

int unlink(const char* path) {
  if (fails(below_folder(path))) return -1;
  return next<int(const char*)>("unlink")(path);
}

/// What std::filesystem::remove_all uses: relative to an open folder, so all count.
int unlinkat(int folder, const char* path, int flags) {
  if (fails(true)) return -1;
  return next<int(int, const char*, int)>("unlinkat")(folder, path, flags);
}

int remove(const char* path) {
  if (fails(below_folder(path))) return -1;
  return next<int(const char*)>("remove")(path);
}
}
