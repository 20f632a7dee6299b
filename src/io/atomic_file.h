// Files and directories that appear whole or not at all.
//
// Everything is written under a temporary name in the same folder (".NAME.dragoman-tmp.PID.N"), fsynced and
// renamed; then the folder is fsynced. A crash leaves the old content, or the new one, and at worst a temporary
// behind. What replaces a file keeps its owner and permissions. A symbolic link at the path is replaced, not followed:
// in a model directory from elsewhere it may point at anything. Where users say what to write: output_file.h.
//
// Errors: every failure (no permission, disk full, ...) is a UserError "PATH: cannot OPERATION: CAUSE"; temporary names
// are not in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman {

/// A file under construction. Without commit() nothing is left of it.
class AtomicFile {
 public:
  /// UserError: the path names a directory, a device or a file that may not be written, or there is no such folder.
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }

  /// Puts the file in its place, on disk when this returns. Once only; no write() after it.
  void commit();

  /// CRC-32 of what was written so far.
  [[nodiscard]] std::uint32_t checksum() const { return checksum_; }

 private:
  std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
  std::uint32_t checksum_ = 0;
};

void write_file_atomically(const std::string& path, std::string_view content);

/// Writes all to a descriptor. 0, or the error that ended it.
[[nodiscard]] int write_all(int descriptor, const void* data, std::size_t bytes);

/// Appends to a file, which is made if it does not exist. Not atomic: a crash may leave a part of the text. UserError:
/// also when it is a link or no regular file.
void append_to_file(const std::string& path, std::string_view text);

/// What was appended is on disk when this returns.
void sync_file(const std::string& path);

/// A directory under construction: write files in temporary() with AtomicFile, then commit(). Without commit() nothing
/// is left.
class AtomicDirectory {
 public:
  explicit AtomicDirectory(const std::string& path);
  ~AtomicDirectory();
  AtomicDirectory(const AtomicDirectory&) = delete;
  AtomicDirectory& operator=(const AtomicDirectory&) = delete;

  [[nodiscard]] const std::string& temporary() const { return temporary_; }

  /// Puts the directory in its place, on disk when this returns. A directory that is there already is exchanged
  /// with the new one in one step (where the file system can do that, else in two) and then removed.
  void commit();

 private:
  std::string path_;
  std::string temporary_;
  bool committed_ = false;
};

/// Makes a folder and those above it; one that is there already is fine.
void make_folder(const std::string& path);
/// Makes one within a folder, which must be there: what was moved away meanwhile is not made again.
void make_subfolder(const std::string& path);

/// Removes a file, or a folder with all that is in it; what is absent already is fine.
void remove_whole(const std::string& path);

/// Removes what interrupted writers left in a folder. Only for folders that no other process writes to.
void remove_stale_temporaries(const std::string& folder);

}  // namespace dragoman
