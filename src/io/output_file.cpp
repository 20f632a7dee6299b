#include "io/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "core/error.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& name, const std::string& operation, int error) {
  throw UserError(name, 0, "cannot " + operation + ": " + std::strerror(error));
}

/// Where a path leads.
struct Place {
  fs::path path;        ///< without links at its end
  int descriptor = -1;  ///< or this open descriptor of the process
};

/// Digits in the folder of this process' descriptors: one that may be open.
bool is_descriptor(const fs::path& folder, const std::string& name) {
  return folder.filename() == "fd" && folder.string().starts_with("/proc/" + std::to_string(::getpid()) + "/") &&
         !name.empty() && name.size() < 9 && name.find_first_not_of("0123456789") == std::string::npos;
}

Place follow(const std::string& path) {
  if (path == "-") return {{}, STDOUT_FILENO};
  constexpr int kMostLinks = 40;  // as Linux
  fs::path here = path;
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code error, ignored;
    const fs::path folder = fs::canonical(here.has_parent_path() ? here.parent_path() : ".", error);
    if (!error && is_descriptor(folder, here.filename().string())) return {{}, std::stoi(here.filename().string())};
    if (!fs::is_symlink(fs::symlink_status(here, ignored))) return {here};
    const fs::path target = error ? fs::path() : fs::read_symlink(here, error);
    if (error) throw UserError(path, 0, "cannot follow this link: " + error.message());
    here = folder / target;
  }
  fail(path, "follow this link", ELOOP);
}

/// What is there; false: nothing.
bool status_of(const std::string& path, struct stat& status) {
  const int descriptor = follow(path).descriptor;
  return (descriptor >= 0 ? ::fstat(descriptor, &status) : ::stat(path.c_str(), &status)) == 0;
}

int open_to_write(const std::string& path) {
  int descriptor = -1;
  do {
    descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : name_(path == "-" ? "standard output" : path) {
  const Place place = follow(path);
  struct stat status {};
  if (place.descriptor >= 0) {
    direct_ = FileDescriptor(::fcntl(place.descriptor, F_DUPFD_CLOEXEC, 0));
  } else if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) {
    file_.emplace(place.path.string());
    return;
  } else {
    direct_ = FileDescriptor(open_to_write(path));
  }
  if (direct_.get() < 0) fail(name_, "write", errno);
}

void OutputFile::write(std::string_view text) {
  if (file_) return file_->write(text);
  if (const int error = write_all(direct_.get(), text.data(), text.size()); error != 0) fail(name_, "write", error);
}

void OutputFile::finish() {
  if (file_) file_->commit();
}

fs::path output_place(const std::string& path) {
  struct stat status {};
  const Place place = follow(path);
  const bool there = place.descriptor < 0 && ::stat(path.c_str(), &status) == 0;
  const bool special = place.descriptor >= 0 || (there && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
  return special ? fs::path() : fs::weakly_canonical(fs::absolute(place.path));
}

bool same_output(const std::string& a, const std::string& b) {
  struct stat first {
  }, second{};
  const bool there = status_of(a, first), other_there = status_of(b, second);
  if (there && other_there) return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
  return !there && !other_there && output_place(a) == output_place(b);
}

}  // namespace dragoman
