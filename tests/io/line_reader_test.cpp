#include "io/line_reader.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "data/temp_files.h"
#include "io/indexed_file.h"

namespace dragoman {
namespace {

using testing::contains;
using testing::dirty;
using testing::TempFiles;
using testing::user_error;
using namespace std::string_literals;
using Lines = std::vector<std::string>;

/// Lines through the sequential reader; checks that random access gives the same.
Lines lines_of(const std::string& path) {
  const Lines lines = read_lines(path);
  const IndexedFile file(path);
  EXPECT_EQ(file.size(), lines.size());
  std::string line;
  for (std::size_t i = lines.size(); i-- > 0;) {
    file.read(i, line);
    EXPECT_EQ(line, lines[i]) << path << " line " << i + 1;
  }
  return lines;
}

TEST(LineReader, EndsLinesAtLineFeedOnly) {
  const TempFiles files;
  EXPECT_EQ(lines_of(files.write("a", "one\ntwo\n\nfour\n")), (Lines{"one", "two", "", "four"}));
  const std::string odd = "a\vb\fc\x1C\x1D\x1E\u0085\u2028\u2029 d\re";
  EXPECT_EQ(lines_of(files.write("b", odd + "\n" + odd + "\n")), (Lines{odd, odd}));
}

TEST(LineReader, DropsOneCarriageReturnBeforeTheEnd) {
  const TempFiles files;
  EXPECT_EQ(lines_of(files.write("a", "one\r\ntwo\r\r\n\r\nlast\r")), (Lines{"one", "two\r", "", "last"}));
}

TEST(LineReader, CountsALastLineWithoutEnd) {
  const TempFiles files;
  EXPECT_EQ(lines_of(files.write("a", "one\ntwo")), (Lines{"one", "two"}));
  EXPECT_EQ(lines_of(files.write("b", "\n\n\n")), (Lines{"", "", ""}));
  EXPECT_EQ(lines_of(files.write("c", "")), Lines{});
  EXPECT_EQ(lines_of(files.write("d", "\r")), Lines{""});
}

TEST(LineReader, DropsTheByteOrderMarkAtTheStartOnly) {
  const TempFiles files;
  EXPECT_EQ(lines_of(files.write("a", "\uFEFFone\n\uFEFFtwo\n")), (Lines{"one", "\uFEFFtwo"}));
  EXPECT_EQ(lines_of(files.write("b", "\uFEFF")), Lines{});
  EXPECT_EQ(lines_of(files.write("c", "\xEF\xBB")), Lines{"\xEF\xBB"});
}

TEST(LineReader, KeepsNulAndBadBytes) {
  const TempFiles files;
  EXPECT_EQ(lines_of(files.write("a", "a\0b\n\xE2\x82\nc\xFF\n"s)), (Lines{"a\0b"s, "\xE2\x82", "c\xFF"}));
}

TEST(LineReader, ReadsLinesLongerThanItsBuffer) {
  const TempFiles files;
  const std::string longer(300'000, 'x');
  EXPECT_EQ(lines_of(files.write("a", "a\n" + longer + "\nb\n" + longer)), (Lines{"a", longer, "b", longer}));
}

TEST(LineReader, UnpacksGzipWhateverItsName) {
  const TempFiles files;
  std::string text;
  Lines expected;
  for (int i = 0; i < 50'000; ++i) {
    expected.push_back("line " + std::to_string(i * 7919 % 10007));
    text += expected.back() + "\n";
  }
  EXPECT_EQ(lines_of(files.write_gzip("a.txt", text)), expected);
  EXPECT_EQ(lines_of(files.write("b.gz", "not packed\n")), Lines{"not packed"});
}

TEST(LineReader, UnpacksSeveralGzipMembersAndByteOrderMark) {
  const TempFiles files;
  files.write_gzip("a.gz", "\uFEFFone\r\ntw");
  EXPECT_EQ(lines_of(files.write_gzip("a.gz", "o\nthree", "ab")), (Lines{"one", "two", "three"}));
  EXPECT_EQ(lines_of(files.write_gzip("b.gz", "")), Lines{});
}

TEST(LineReader, ReportsBrokenGzip) {
  const TempFiles files;
  std::string text;
  for (int i = 0; i < 5000; ++i) text += std::to_string(i * 7919 % 10007) + "\n";
  files.write_gzip("a.gz", text);
  std::ifstream in(files.path("a.gz"), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  for (const std::size_t size : {bytes.size() - 1, bytes.size() - 8, bytes.size() / 2, std::size_t{5}}) {
    const std::string path = files.write("short.gz", bytes.substr(0, size));
    const std::string message = user_error([&] { (void)read_lines(path); });
    EXPECT_TRUE(contains(message, "short.gz") && contains(message, "truncated")) << message;
  }
  std::string changed = bytes;
  for (std::size_t i = 0; i < 30; ++i) changed[changed.size() / 2 + i] ^= 0x55;
  const std::string message = user_error([&] { (void)read_lines(files.write("bad.gz", changed)); });
  EXPECT_TRUE(contains(message, "bad.gz") && contains(message, "corrupt")) << message;
}

TEST(LineReader, ReportsMissingFilesAndDirectories) {
  const TempFiles files;
  const std::string missing = user_error([&] { (void)read_lines(files.path("missing.en")); });
  EXPECT_TRUE(contains(missing, "missing.en: No such file")) << missing;
  const std::string directory = user_error([&] { (void)read_lines(files.directory()); });
  EXPECT_TRUE(contains(directory, files.directory() + ": is a directory")) << directory;
}

TEST(LineReader, RefusesUtf16) {
  const TempFiles files;
  for (const std::string& text : {"\xFF\xFE\x61\0"s, "\xFE\xFF\0\x61"s}) {
    const std::string message = user_error([&] { (void)read_lines(files.write("a.txt", text)); });
    EXPECT_TRUE(contains(message, "a.txt") && contains(message, "UTF-16")) << message;
  }
}

TEST(LineReader, TellsUtf32FromUtf16) {
  const TempFiles files;
  for (const std::string& text : {"\xFF\xFE\0\0\x61\0\0\0"s, "\0\0\xFE\xFF\0\0\0\x61"s}) {
    const std::string message = user_error([&] { (void)read_lines(files.write("a.txt", text)); });
    EXPECT_TRUE(contains(message, "a.txt: the text is UTF-32 (byte order mark)")) << message;
  }
  for (const std::string& text : {"\xFF\xFE"s, "\xFF\xFE\0"s, "\xFF\xFE\0a"s}) {
    const std::string message = user_error([&] { (void)read_lines(files.write("a.txt", text)); });
    EXPECT_TRUE(contains(message, "the text is UTF-16 (byte order mark)")) << message;
  }
  EXPECT_EQ(lines_of(files.write("a", "\0\0\xFE"s)), Lines{"\0\0\xFE"s});
}

TEST(LineReader, AnswersATypedLineWithoutWaitingForMore) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  LineReader reader{ByteStream(FileDescriptor(ends[0]), "pipe")};
  FileDescriptor writer(ends[1]);
  std::string line;
  for (const std::string typed : {"a", "", "second line"}) {
    const std::string bytes = typed + "\n";
    ASSERT_EQ(::write(writer.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ASSERT_TRUE(reader.next(line));  // would hang if it wanted more
    EXPECT_EQ(line, typed);
  }
  writer = FileDescriptor();
  EXPECT_FALSE(reader.next(line));
}

TEST(LineReader, KnowsWhetherALineIsThereWithoutWaiting) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  LineReader reader{ByteStream(FileDescriptor(ends[0]), "pipe")};
  FileDescriptor writer(ends[1]);
  const auto type = [&](const std::string& text) {
    ASSERT_EQ(::write(writer.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  };
  std::string line;
  type("one\ntwo\nthr");
  ASSERT_TRUE(reader.next(line));
  EXPECT_TRUE(reader.is_ready());
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "two");
  EXPECT_FALSE(reader.is_ready()) << "half a line would be waited for";
  type("ee\n");
  EXPECT_TRUE(reader.is_ready());
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "three");
  EXPECT_EQ(reader.end() - reader.start(), 6U);
  EXPECT_FALSE(reader.is_ready());
  type("last");
  EXPECT_FALSE(reader.is_ready());
  writer = FileDescriptor();
  EXPECT_TRUE(reader.is_ready()) << "the end is an answer, too";
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "last");
  EXPECT_FALSE(reader.next(line));
  EXPECT_EQ(reader.number(), 4U);
}

TEST(LineReader, FilesAreAlwaysReadyAndReadTheSame) {
  const TempFiles files;
  const std::string text = "a\n" + std::string(200'000, 'x') + "\n\n" + std::string(70'000, 'y') + "\nend";
  for (const std::string& path : {files.write("plain", text), files.write_gzip("packed.gz", text)}) {
    LineReader reader(path);
    Lines lines;
    std::string line;
    EXPECT_FALSE(reader.is_ready()) << "before the first line nobody knows";
    while ((lines.empty() || reader.is_ready()) && reader.next(line)) lines.push_back(line);
    EXPECT_EQ(lines, read_lines(path));
    EXPECT_EQ(lines.size(), 5U);
  }
}

TEST(LineReader, JoinsPiecesThatArriveSeparately) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  LineReader reader{ByteStream(FileDescriptor(ends[0]), "pipe")};
  std::thread writer([end = ends[1]] {
    const FileDescriptor fd(end);
    for (const char c : "\xEF\xBB\xBFone\r\ntwo"s) EXPECT_EQ(::write(fd.get(), &c, 1), 1);
  });
  Lines lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  writer.join();
  EXPECT_EQ(lines, (Lines{"one", "two"}));
}

TEST(LineReader, ReadsPipesByRandomAccess) {
  const TempFiles files;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "one\ntwo\n", 8), 8);
  ::close(ends[1]);
  const FileDescriptor reading(ends[0]);
  const IndexedFile file("/proc/self/fd/" + std::to_string(reading.get()));
  ASSERT_EQ(file.size(), 2u);
  std::string line;
  file.read(1, line);
  EXPECT_EQ(line, "two");
}

TEST(LineReader, NoticesAFileThatShrinks) {
  const TempFiles files;
  const IndexedFile file(files.write("a", "one\ntwo\n"));
  files.write("a", "one\n");
  std::string line;
  const std::string message = user_error([&] { file.read(1, line); });
  EXPECT_TRUE(contains(message, "a:2") && contains(message, "shorter")) << message;
}

TEST(LineReader, RefusesALineThatWouldFillTheMemory) {
  const TempFiles files;
  const std::string longest(kMaxLineBytes - 1, 'x');
  EXPECT_EQ(lines_of(files.write("a", "one\n" + longest + "\n"))[1].size(), longest.size());
  const std::string message = user_error([&] { lines_of(files.write("a", "one\n" + longest + "xx\n")); });
  EXPECT_TRUE(contains(message, "a:2: the line has more than 16777216 bytes")) << message;
  EXPECT_TRUE(contains(user_error([] { lines_of("/dev/zero"); }), "/dev/zero:1: "));
}

TEST(IndexedFile, OpensAPipeOnceOnly) {
  const TempFiles files;
  const std::string path = files.path("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << "one\ntwo\n"; });
  const IndexedFile file(path);
  writer.join();
  EXPECT_EQ(file.size(), 2u);
}

TEST(IndexedFile, RefusesDevices) {
  EXPECT_TRUE(contains(user_error([] { const IndexedFile file("/dev/zero"); }), "is a device"));
}

TEST(ReadSmallFile, TakesRegularFilesUpToALimit) {
  const TempFiles files;
  const std::string text("a\0b\n", 4);
  EXPECT_EQ(read_small_file(files.write("a", text), 4), text);
  EXPECT_TRUE(contains(user_error([&] { (void)read_small_file(files.path("a"), 3); }), "more than the 3 bytes"));
  ASSERT_EQ(::mkfifo(files.path("fifo").c_str(), 0600), 0);
  for (const std::string& path : {files.path("fifo"), files.directory(), std::string("/dev/zero")}) {
    EXPECT_TRUE(contains(user_error([&] { (void)read_small_file(path, 10); }), "is not a regular file")) << path;
  }
  EXPECT_TRUE(contains(user_error([&] { (void)read_small_file(files.path("none"), 10); }), "none: No such file"));
}

TEST(LineReader, CountsTheLinesOfDirtyText) {
  SKIP_WITHOUT_DIRTY_TEXT();
  EXPECT_EQ(lines_of(dirty("01-crlf.en")).size(), 8u);
  EXPECT_EQ(lines_of(dirty("01-crlf.de")).size(), 8u);
  for (const std::string& line : lines_of(dirty("01-crlf.de"))) EXPECT_FALSE(contains(line, "\r"));
  EXPECT_EQ(lines_of(dirty("03-bom.en"))[0].substr(0, 2), "A ");
  EXPECT_EQ(lines_of(dirty("05-linebreaks.en")).size(), 6u);
  EXPECT_EQ(lines_of(dirty("05-linebreaks.de")).size(), 6u);
  EXPECT_EQ(lines_of(dirty("07-invalid-utf8.de")).size(), 8u);
  EXPECT_EQ(lines_of(dirty("10-unequal.de")).size(), 7u);
  EXPECT_EQ(lines_of(dirty("13-long.en")).size(), 7u);
  EXPECT_EQ(lines_of(dirty("19-empty-file.en")).size(), 0u);
  EXPECT_EQ(lines_of(dirty("19-one.en")).size(), 1u);
  EXPECT_EQ(lines_of(dirty("19-only-newlines.en")).size(), 3u);
  EXPECT_EQ(lines_of(dirty("22-infer.en")).size(), 9u);
}

}  // namespace
}  // namespace dragoman
