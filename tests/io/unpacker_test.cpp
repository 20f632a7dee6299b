// Packed files: read, or refused by name.
#include "io/unpacker.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "data/temp_files.h"
#include "io/indexed_file.h"
#include "io/line_reader.h"

namespace dragoman {
namespace {

using testing::contains;
using testing::TempFiles;
using testing::user_error;
using namespace std::string_literals;
using Lines = std::vector<std::string>;

/// "one", LF, "two", LF, packed by the formats' own programs.
const std::string kXz =
    "\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x16\x00\x00\x00\x74\x2f\xe5\xa3\x01\x00\x07\x6f"
    "\x6e\x65\x0a\x74\x77\x6f\x0a\x00\x51\xab\x9e\xaf\x57\x75\x70\x49\x00\x01\x20\x08\xbb\x19\xd9\xbb\x1f\xb6\xf3\x7d"
    "\x01\x00\x00\x00\x00\x04\x59\x5a"s;
const std::string kZstd = "\x28\xb5\x2f\xfd\x04\x58\x41\x00\x00\x6f\x6e\x65\x0a\x74\x77\x6f\x0a\xe6\xa6\x0e\x40"s;
/// "line", LF, 200,000 times, without a checksum: all is read long before all is given.
const std::string kLongZstd =
    "\x28\xb5\x2f\xfd\x00\x68\x6c\x00\x00\x28\x6c\x69\x6e\x65\x0a\x01\x00\xf8\xff\xc8\x8b\x16\x44\x00\x00\x00\x01\x00"
    "\xfd\xff\xc8\x0b\x10\x44\x00\x00\x00\x01\x00\xfd\xff\x39\x00\x02\x44\x00\x00\x00\x01\x00\xfd\xff\x39\x00\x02\x44"
    "\x00\x00\x00\x01\x00\xfd\xff\x39\x00\x02\x44\x00\x00\x00\x01\x00\xfd\xff\x39\x00\x02\x44\x00\x00\x00\x01\x00\xfd"
    "\xff\x39\x00\x02\x45\x00\x00\x00\x01\x00\x3d\x42\x39\x00\x02"s;

struct Packed {
  const char* name;
  const std::string& text;
};
const Packed kPacked[] = {{"xz", kXz}, {"zstd", kZstd}};

/// One by one and by number.
Lines lines_of(const std::string& path) {
  const Lines lines = read_lines(path);
  const IndexedFile file(path);
  EXPECT_EQ(file.size(), lines.size());
  EXPECT_GT(file.temporary_bytes(), 0U) << "a copy";
  std::string line;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    file.read(i, line);
    EXPECT_EQ(line, lines[i]);
  }
  return lines;
}

TEST(Unpacker, UnpacksXzAndZstdWhereTheLibrariesAreThere) {
  const TempFiles files;
  for (const auto& [name, text] : kPacked) {
    const std::string path = files.write("a.txt", text);
    const PackedFormat* format = find_packed(text);
    ASSERT_NE(format, nullptr);
    EXPECT_STREQ(format->name, name);
    if (format->unpack == nullptr) {
      const std::string message = user_error([&] { (void)read_lines(path); });
      EXPECT_TRUE(contains(message, "a.txt: is a "s + name) && contains(message, "this build has no lib")) << message;
      continue;
    }
    EXPECT_EQ(lines_of(path), (Lines{"one", "two"}));
    EXPECT_EQ(lines_of(files.write("b", text + text)), (Lines{"one", "two", "one", "two"})) << "two members";
    EXPECT_EQ(lines_of(files.write("c", text + "\0\0\0\0"s)), (Lines{"one", "two"})) << "padding";
  }
}

TEST(Unpacker, GivesAllOfAMemberThatIsReadLongBefore) {
  if (find_packed(kLongZstd)->unpack == nullptr) GTEST_SKIP() << "built without libzstd";
  const TempFiles files;
  EXPECT_EQ(lines_of(files.write("a.zst", kLongZstd)), Lines(200'000, "line"));
}

TEST(Unpacker, ReportsBrokenFiles) {
  const TempFiles files;
  for (const auto& [name, packed] : kPacked) {
    const std::string& text = packed;  // which clang 14 lets a lambda see
    if (find_packed(text)->unpack == nullptr) continue;
    for (const std::size_t size : {text.size() - 1, text.size() / 2, std::size_t{7}}) {
      const std::string message = user_error([&] { (void)read_lines(files.write("short", text.substr(0, size))); });
      EXPECT_TRUE(contains(message, "short: the "s + name + " file is truncated")) << message << size;
    }
    std::string changed = text;
    changed[text.size() - 8] ^= 0x55;
    const std::string message = user_error([&] { (void)read_lines(files.write("bad", changed)); });
    EXPECT_TRUE(contains(message, "bad: the "s + name + " file is corrupt: ")) << message;
    const std::string behind =
        user_error([&] { (void)read_lines(files.write("more", text + "and plain text behind it\n")); });
    EXPECT_TRUE(contains(behind, "more: the "s + name + " file is corrupt: ")) << behind;
  }
}

TEST(Unpacker, NamesWhatItCantUnpack) {
  const TempFiles files;
  const std::vector<std::pair<std::string, std::string>> others = {
      {"BZh91AY&SY\xa7\x14", "bzip2 file, expected text; unpack the file first (bunzip2)"},
      {"PK\3\4\x14\0\0\0\b\0"s, "zip file, expected text; unpack the file first (unzip)"},
      {"7z\xbc\xaf\x27\x1c\0\4"s, "7z file"},
      {"Rar!\x1a\x07\0"s, "rar file"},
      {"\x04\x22\x4d\x18\x64"s, "lz4 file"}};
  for (const auto& [text, what] : others) {
    const std::string path = files.write("a", text);
    const std::string message = user_error([&] { (void)read_lines(path); });
    EXPECT_TRUE(contains(message, "a: is a " + what)) << message;
    EXPECT_EQ(user_error([&] { const IndexedFile file(path); }), message);
  }
}

TEST(Unpacker, LeavesTextAloneThatBeginsLikeAPackedFile) {
  const TempFiles files;
  for (const std::string text : {"BZh", "BZhang came", "PK", "PKW", "7z", "Rar", "P*M", "("}) {
    EXPECT_EQ(read_lines(files.write("a", text)), Lines{text});
    EXPECT_EQ(IndexedFile(files.path("a")).size(), 1U);
  }
}

TEST(Unpacker, KnowsAFileThatArrivesByteByByte) {
  for (const auto& [name, packed] : kPacked) {
    const std::string& text = packed;
    if (find_packed(text)->unpack == nullptr) continue;
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    LineReader reader{ByteStream(FileDescriptor(ends[0]), "pipe", true)};
    std::thread writer([&, end = ends[1]] {
      const FileDescriptor fd(end);
      for (const char c : text) EXPECT_EQ(::write(fd.get(), &c, 1), 1);
    });
    Lines lines;
    for (std::string line; reader.next(line);) lines.push_back(line);
    writer.join();
    EXPECT_EQ(lines, (Lines{"one", "two"})) << name;
  }
}

}  // namespace
}  // namespace dragoman
