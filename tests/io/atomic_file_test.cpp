#include "io/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "data/temp_files.h"
#include "io/checksum.h"

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
  EXPECT_TRUE(contains(missing, "cannot create: there is no folder " + at("no/such") + ";")) << missing;
  EXPECT_TRUE(contains(user_error([&] { write_file_atomically(folder_.string(), "x"); }), "not a regular file"));
  EXPECT_TRUE(contains(user_error([&] { write_file_atomically("/dev/null", "x"); }), "not a regular file"));
  EXPECT_THROW(write_file_atomically("/", "x"), UserError);
  EXPECT_THROW(write_file_atomically("", "x"), UserError);
  EXPECT_THROW(AtomicDirectory(at("no/such/directory")), UserError);
  write_file_atomically(at("file"), "x");
  EXPECT_THROW(AtomicDirectory(at("file")), UserError);
  EXPECT_TRUE(contains(user_error([&] { write_file_atomically(at("file/x"), "x"); }),
                       "cannot create a file in " + at("file") + ": Not a directory"));
}

TEST_F(AtomicFileTest, NoErrorNamesATemporaryFile) {
  AtomicDirectory directory(at("d"));
  fs::create_directory(directory.temporary() + "/model");
  for (const char* name : {"/model", "/none/model"}) {
    const std::string found = user_error([&] { write_file_atomically(directory.temporary() + name, "x"); });
    EXPECT_TRUE(contains(found, at("d") + name + ": cannot ")) << found;
    EXPECT_FALSE(contains(found, "dragoman-tmp")) << found;
  }
  for (const std::string& path : {at("no/file"), at(std::string(300, 'x'))}) {
    EXPECT_FALSE(contains(user_error([&] { write_file_atomically(path, "x"); }), "dragoman-tmp")) << path;
  }
  EXPECT_FALSE(contains(user_error([&] { AtomicDirectory{at("no/directory")}; }), "dragoman-tmp"));
}

TEST_F(AtomicFileTest, ALongNameIsAName) {
  const std::string name(255, 'x');
  write_file_atomically(at(name), "1");
  EXPECT_EQ(content(at(name)), "1");
}

TEST_F(AtomicFileTest, WhatReplacesAFileIsAsClosed) {
  for (const mode_t mode : {0600U, 0640U, 0666U, 0755U}) {
    write_file_atomically(at("a"), "old");
    ASSERT_EQ(::chmod(at("a").c_str(), mode), 0);
    const bool owned = ::geteuid() != 0 || ::chown(at("a").c_str(), 1234, 5678) == 0;
    ASSERT_TRUE(owned);
    AtomicFile file(at("a"));
    file.write("new");
    for (const auto& entry : fs::directory_iterator(folder_)) {  // the temporary, too
      EXPECT_EQ(static_cast<mode_t>(entry.status().permissions()), mode) << entry.path();
    }
    file.commit();
    struct stat status {};
    ASSERT_EQ(::stat(at("a").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, mode);
    if (::geteuid() == 0) {
      EXPECT_EQ(status.st_uid, 1234U);
      EXPECT_EQ(status.st_gid, 5678U);
    }
  }
}

TEST_F(AtomicFileTest, ALinkIsReplacedAndWhatItLeadsToStays) {
  write_file_atomically(at("real"), "kept");
  fs::create_symlink("real", at("link"));
  write_file_atomically(at("link"), "new");
  EXPECT_FALSE(fs::is_symlink(at("link")));
  EXPECT_EQ(content(at("link")), "new");
  EXPECT_EQ(content(at("real")), "kept");
}

TEST_F(AtomicFileTest, TheChecksumIsThatOfTheFile) {
  AtomicFile file(at("a"));
  file.write("1234");
  file.write("56789");
  EXPECT_EQ(file.checksum(), 0xcbf43926U) << "the check value of CRC-32";
  file.commit();
  EXPECT_EQ(crc32_of_file(at("a")), 0xcbf43926U);
  EXPECT_TRUE(has_checksum(at("a"), 0xcbf43926U));
  EXPECT_FALSE(has_checksum(at("a"), 1));
  EXPECT_FALSE(has_checksum(at("b"), 0));
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
  fs::create_symlink("a", at("link"));
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  for (const std::string& path : {at("link"), at("fifo"), std::string("/dev/full"), folder_.string()}) {
    EXPECT_TRUE(contains(user_error([&] { append_to_file(path, "x"); }), "it is a link or no regular file")) << path;
  }
  EXPECT_EQ(content(at("a")), "1\n2\n");
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

TEST(MakeSubfolder, MakesNothingAboveIt) {
  const TempFiles files;
  make_subfolder(files.path("a"));
  make_subfolder(files.path("a"));
  EXPECT_TRUE(std::filesystem::is_directory(files.path("a")));
  EXPECT_TRUE(contains(user_error([&] { make_subfolder(files.path("b/c")); }), "b/c: cannot create the folder: "));
  EXPECT_FALSE(std::filesystem::exists(files.path("b")));
}

}  // namespace
}  // namespace dragoman
