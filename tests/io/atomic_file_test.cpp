#include "io/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "data/temp_files.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::TempFiles;
using testing::user_error;

class AtomicFileTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string at(const std::string& name) const { return files_.path(name); }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static std::string content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }

  TempFiles files_;
  fs::path folder_ = files_.directory();
};

TEST_F(AtomicFileTest, WritesAndReplaces) {
  write_file_atomically(at("a"), "first");
  EXPECT_EQ(content(at("a")), "first");
  write_file_atomically(at("a"), std::string("se\0cond", 7));
  EXPECT_EQ(content(at("a")), std::string("se\0cond", 7));
  EXPECT_EQ(entries(), 1U);
}

TEST_F(AtomicFileTest, TheOldContentStaysUntilCommit) {
  write_file_atomically(at("a"), "old");
  {
    AtomicFile file(at("a"));
    file.write("new");
    EXPECT_EQ(content(at("a")), "old");
    file.write("er");
    file.commit();
    EXPECT_EQ(content(at("a")), "newer");
  }
  EXPECT_EQ(content(at("a")), "newer");
}

TEST_F(AtomicFileTest, WithoutCommitNothingIsLeft) {
  {
    AtomicFile file(at("a"));
    file.write("lost");
    AtomicDirectory directory(at("d"));
    write_file_atomically(directory.temporary() + "/x", "lost");
  }
  EXPECT_EQ(entries(), 0U);
}

TEST_F(AtomicFileTest, PathsWithoutAFolderAndWithATrailingSlashWork) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  write_file_atomically("plain", "x");
  AtomicDirectory directory("d/");
  directory.commit();
  fs::current_path(before);
  EXPECT_EQ(content(at("plain")), "x");
  EXPECT_TRUE(fs::is_directory(at("d")));
  EXPECT_EQ(entries(), 2U);
}

TEST_F(AtomicFileTest, ErrorsNamePathOperationAndCause) {
  const std::string missing = user_error([&] { write_file_atomically(at("no/such/file"), "x"); });
  EXPECT_TRUE(contains(missing, at("no/such/file"))) << missing;
  EXPECT_TRUE(contains(missing, "cannot create")) << missing;
  EXPECT_TRUE(contains(missing, "No such file or directory")) << missing;
  EXPECT_TRUE(contains(user_error([&] { write_file_atomically(folder_.string(), "x"); }), "not a regular file"));
  EXPECT_TRUE(contains(user_error([&] { write_file_atomically("/dev/null", "x"); }), "not a regular file"));
  EXPECT_THROW(write_file_atomically("/", "x"), UserError);
  EXPECT_THROW(write_file_atomically("", "x"), UserError);
  EXPECT_THROW(AtomicDirectory(at("no/such/directory")), UserError);
  write_file_atomically(at("file"), "x");
  EXPECT_THROW(AtomicDirectory(at("file")), UserError);
}

TEST_F(AtomicFileTest, AFailedWriteIsAUserErrorAndKeepsTheOldFile) {
  write_file_atomically(at("a"), "old");
  // A limit on the size of files stands for the full disk.
  const auto write_too_much = [&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string found = user_error([&] { write_file_atomically(at("a"), std::string(5000, 'x')); });
    const bool good = contains(found, "cannot write: File too large") && content(at("a")) == "old" && entries() == 1;
    std::_Exit(good ? 0 : 1);
  };
  EXPECT_EXIT(write_too_much(), ::testing::ExitedWithCode(0), "");
}

TEST_F(AtomicFileTest, AppendingKeepsWhatIsThere) {
  append_to_file(at("a"), "1\n");
  append_to_file(at("a"), "2\n");
  EXPECT_EQ(content(at("a")), "1\n2\n");
  EXPECT_TRUE(contains(user_error([&] { append_to_file(at("no/a"), "x"); }), "No such file or directory"));
  EXPECT_TRUE(contains(user_error([&] { append_to_file("/dev/full", "x"); }), "cannot append: No space left"));
}

TEST_F(AtomicFileTest, FoldersAreMadeAndRemovedWhole) {
  make_folder(at("x/y"));
  make_folder(at("x/y"));
  write_file_atomically(at("x/y/z"), "1");
  remove_whole(at("x"));
  remove_whole(at("x"));
  EXPECT_EQ(entries(), 0U);
  write_file_atomically(at("file"), "1");
  EXPECT_TRUE(contains(user_error([&] { make_folder(at("file/y")); }), "cannot create the folder"));
}

TEST_F(AtomicFileTest, ADirectoryAppearsWhole) {
  AtomicDirectory directory(at("d"));
  write_file_atomically(directory.temporary() + "/x", "1");
  fs::create_directory(directory.temporary() + "/sub");
  write_file_atomically(directory.temporary() + "/sub/y", "2");
  EXPECT_FALSE(fs::exists(at("d")));
  directory.commit();
  EXPECT_EQ(content(at("d/x")), "1");
  EXPECT_EQ(content(at("d/sub/y")), "2");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(AtomicFileTest, ADirectoryReplacesAnOlderOneAsAWhole) {
  fs::create_directory(at("d"));
  write_file_atomically(at("d/old"), "1");
  AtomicDirectory directory(at("d"));
  write_file_atomically(directory.temporary() + "/new", "2");
  directory.commit();
  EXPECT_FALSE(fs::exists(at("d/old")));
  EXPECT_EQ(content(at("d/new")), "2");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(AtomicFileTest, StaleTemporariesGoAndNothingElse) {
  fs::create_directory(at(".000100.dragoman-tmp.123.0"));
  write_file_atomically(at(".000100.dragoman-tmp.123.0") + "/x", "1");
  for (const char* name :
       {".a.txt.dragoman-tmp.9.12", "a.dragoman-tmp.9.1", ".dragoman-tmp.9.1", ".b.dragoman-tmp.x"}) {
    std::ofstream(at(name)) << "x";
  }
  remove_stale_temporaries(folder_.string());
  EXPECT_FALSE(fs::exists(at(".000100.dragoman-tmp.123.0")));
  EXPECT_FALSE(fs::exists(at(".a.txt.dragoman-tmp.9.12")));
  EXPECT_EQ(entries(), 3U);
  remove_stale_temporaries(at("no such folder"));
}

}  // namespace
}  // namespace dragoman
