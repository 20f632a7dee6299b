// A directory for the files of one test, removed at its end.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "core/error.h"

namespace dragoman::testing {

class TempFiles {
 public:
  TempFiles() {
    static std::atomic<int> count = 0;
    const std::string name = "dragoman-test-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
    directory_ = std::filesystem::temp_directory_path() / name;
    std::filesystem::create_directories(directory_);
  }
  ~TempFiles() { std::filesystem::remove_all(directory_); }
  TempFiles(const TempFiles&) = delete;
  TempFiles& operator=(const TempFiles&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return (directory_ / name).string(); }
  [[nodiscard]] std::string directory() const { return directory_.string(); }

  std::string write(const std::string& name, std::string_view contents) const {
    std::ofstream(path(name), std::ios::binary) << contents;
    return path(name);
  }
  /// With mode "ab" a further gzip member is added.
  std::string write_gzip(const std::string& name, std::string_view contents, const char* mode = "wb") const {
    gzFile file = gzopen(path(name).c_str(), mode);
    gzwrite(file, contents.data(), static_cast<unsigned>(contents.size()));
    gzclose(file);
    return path(name);
  }

 private:
  std::filesystem::path directory_;
};

/// The message of the UserError that `call` raises; a failure when it raises none.
template <class Call>
std::string user_error(Call call) {
  try {
    call();
  } catch (const UserError& e) {
    return e.what();
  }
  ADD_FAILURE() << "expected a UserError";
  return {};
}

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// A file of the shared collection of dirty text; tests skip when it isn't there.
inline std::string dirty(const std::string& name) { return std::string(DRAGOMAN_ROOT) + "/../shared/dirty/" + name; }

}  // namespace dragoman::testing

#define SKIP_WITHOUT_DIRTY_TEXT()                                        \
  if (!std::filesystem::exists(::dragoman::testing::dirty("README.md"))) \
  GTEST_SKIP() << "no ../shared/dirty beside the repository"
