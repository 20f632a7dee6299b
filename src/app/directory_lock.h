// One training at a time in a model directory.
#pragma once

#include <filesystem>

namespace dragoman {

/// Holds DIRECTORY/lock until destroyed (or until the process ends, however it does). UserError: another process
/// holds it, or it can't be made.
class DirectoryLock {
 public:
  explicit DirectoryLock(const std::filesystem::path& directory);
  /// UserError: the directory was removed or moved since, and perhaps another training is there.
  void check() const;
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  std::filesystem::path directory_;
  int descriptor_;
};

}  // namespace dragoman
