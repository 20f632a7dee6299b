// What users name to be written: files, links to files, pipes, devices, descriptors.
#include "io/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/error.h"
#include "data/temp_files.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::TempFiles;
using testing::user_error;

class OutputFileTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string at(const std::string& name) const { return files_.path(name); }
  static std::string content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  static void put(const std::string& path, const std::string& text) {
    OutputFile file(path);
    file.write(text);
    file.finish();
  }

  TempFiles files_;
};

TEST_F(OutputFileTest, LinksAreFollowedAndStay) {
  fs::create_directory(at("folder"));
  fs::create_symlink("folder/real", at("near"));
  fs::create_symlink(at("near"), at("far"));
  fs::create_symlink("folder", at("door"));
  fs::create_symlink("../other", at("folder/up"));
  put(at("far"), "1");
  EXPECT_EQ(content(at("folder/real")), "1") << "made where the link leads";
  put(at("far"), "2");
  EXPECT_EQ(content(at("folder/real")), "2");
  put(at("door/up"), "3");
  EXPECT_EQ(content(at("other")), "3") << "beside the folder that the link leads to";
  for (const char* link : {"near", "far", "door", "folder/up"}) EXPECT_TRUE(fs::is_symlink(at(link))) << link;
  EXPECT_EQ(output_place(at("far")), fs::canonical(at("folder/real")));
}

TEST_F(OutputFileTest, NothingIsThereBeforeTheEnd) {
  std::ofstream(at("a")) << "old";
  fs::create_symlink("a", at("link"));
  {
    OutputFile file(at("link"));
    file.write("lost");
  }
  EXPECT_EQ(content(at("a")), "old");
}

TEST_F(OutputFileTest, LinksWithoutAnEndAreRefused) {
  fs::create_symlink("b", at("a"));
  fs::create_symlink("a", at("b"));
  EXPECT_TRUE(contains(user_error([&] { put(at("a"), "x"); }), "a: cannot follow this link"));
  fs::create_symlink("gone/x", at("nowhere"));
  EXPECT_TRUE(contains(user_error([&] { put(at("nowhere"), "x"); }), "there is no folder "));
}

TEST_F(OutputFileTest, AFifoGetsItAndStays) {
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  fs::create_symlink("fifo", at("link"));
  std::string read;
  std::thread reader([&] { read = content(at("fifo")); });
  put(at("link"), "to the reader");
  reader.join();
  EXPECT_EQ(read, "to the reader");
  EXPECT_TRUE(fs::is_fifo(at("fifo")));
  EXPECT_TRUE(output_place(at("link")).empty());
}

TEST_F(OutputFileTest, AnOpenDescriptorGetsItBehindWhatItHas) {
  const int descriptor = ::open(at("a").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(descriptor, 0);
  ASSERT_EQ(::write(descriptor, "1", 1), 1);
  const std::string name = "/fd/" + std::to_string(descriptor);
  fs::create_symlink("/dev" + name, at("link"));
  for (const std::string& path : {"/dev" + name, "/proc/self" + name, at("link")}) put(path, "2");
  ASSERT_EQ(::write(descriptor, "3", 1), 1);
  EXPECT_TRUE(same_output("/dev" + name, at("a")));
  ::close(descriptor);
  EXPECT_TRUE(contains(user_error([&] { put("/dev" + name, "x"); }), "cannot write: Bad file descriptor"));
  EXPECT_EQ(content(at("a")), "12223");
  EXPECT_TRUE(fs::is_symlink(at("link")));
}

TEST_F(OutputFileTest, AFailedWriteIsSaid) {
  EXPECT_TRUE(contains(user_error([] { put("/dev/full", "x"); }), "/dev/full: cannot write: No space left"));
  EXPECT_TRUE(contains(user_error([&] { put(files_.directory(), "x"); }), "cannot write: Is a directory"));
  EXPECT_TRUE(contains(user_error([&] { put(at("none/a"), "x"); }), "none/a: cannot create: there is no folder"));
}

TEST_F(OutputFileTest, TheSameOutputIsKnownByAnyName) {
  fs::create_symlink("real", at("link"));
  EXPECT_TRUE(same_output(at("link"), at("real"))) << "before there is one";
  EXPECT_FALSE(same_output(at("link"), at("other")));
  put(at("link"), "1");
  EXPECT_TRUE(same_output(at("link"), at("real")));
  EXPECT_FALSE(same_output(at("link"), at("other")));
  EXPECT_TRUE(same_output("-", "/dev/stdout"));
  EXPECT_FALSE(same_output("-", at("real")));
}

}  // namespace
}  // namespace dragoman
