#include "data/text_check.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/corpus.h"
#include "data/encoding_guess.h"
#include "data/temp_files.h"

namespace dragoman {
namespace {

using testing::contains;
using testing::TempFiles;
using testing::user_error;
using namespace std::string_literals;

/// ASCII as UTF-16, low byte first.
std::string utf16(const std::string& text) {
  std::string bytes;
  for (const char c : text) bytes += c + "\0"s;
  return bytes;
}

TEST(GuessEncoding, KnowsUtf16) {
  EXPECT_EQ(guess_encoding(utf16("a cat")), Encoding::utf16);
  EXPECT_EQ(guess_encoding("\0"s + utf16("a cat")), Encoding::utf16) << "a later line begins within a character";
  EXPECT_EQ(guess_encoding("\x00\xAC\x20\x00\x74\xC7\x20\x00\x01\xAC"s), Encoding::utf16) << "Korean, with U+AC00";
}

TEST(GuessEncoding, TakesStrayNulsForDamage) {
  EXPECT_EQ(guess_encoding("PK\x03\x04\x14\0\0\0\b\0\xE4\0\0\0\xFF\0\0\0"s), Encoding::unknown) << "a binary file";
  EXPECT_EQ(guess_encoding("a\0b"s), Encoding::unknown) << "one NUL";
  EXPECT_EQ(guess_encoding("one\0two\0three four"s), Encoding::unknown) << "two among many letters";
  EXPECT_EQ(guess_encoding("\0\0\0\0\0\0\0\0"s), Encoding::unknown) << "nothing else";
}

TEST(GuessEncoding, KnowsUtf32) {
  EXPECT_EQ(guess_encoding("a\0\0\0b\0\0\0"s), Encoding::utf32);
  EXPECT_EQ(guess_encoding("\0\0\0a\0\0\0b\0\0\0 "s), Encoding::utf32);
  EXPECT_EQ(guess_encoding("\0\0\0a\0\0\0b\0\0\0"s), Encoding::utf32) << "a later line";
  EXPECT_EQ(guess_encoding("\x98\xB0\0\0\x94\xB2\0\0"s), Encoding::utf32) << "Korean";
}

TEST(GuessEncoding, KnowsKoreanByItsPairs) {
  EXPECT_EQ(guess_encoding("\xC7\xD1\xB1\xB9\xBE\xEE \xB9\xAE\xC0\xE5"), Encoding::cp949);  // two Korean words
  EXPECT_EQ(guess_encoding("\xD6\xD0\xB9\xFA\xC8\xCB\xCE\xD2\xC3\xC7"), Encoding::unknown) << "GB2312";
  EXPECT_EQ(guess_encoding("\xCF\xF0\xE8\xE2\xE5\xF2"), Encoding::unknown) << "cp1251";
}

TEST(GuessEncoding, KnowsWesternTextByItsSingles) {
  EXPECT_EQ(guess_encoding("gr\xFCn"), Encoding::cp1252);
  EXPECT_EQ(guess_encoding("cr\xE9\xE9 \xE0 No\xEBl, \x93oui\x94"), Encoding::cp1252);
  EXPECT_EQ(guess_encoding("gr\x81n"), Encoding::unknown) << "no character of cp1252";
}

TEST(GuessEncoding, LeavesUtf8Alone) {
  EXPECT_EQ(guess_encoding("plain"), Encoding::unknown);
  EXPECT_EQ(guess_encoding("gr\u00FCn"), Encoding::unknown);
  EXPECT_EQ(guess_encoding("gr\u00FCn \xFC"), Encoding::unknown) << "as many good sequences as bad ones";
  EXPECT_EQ(guess_encoding(""), Encoding::unknown);
}

/// What the corpus says when one of its sides, or a tsv file with a header, has these bytes.
std::string message_of(const std::string& bytes) {
  const TempFiles files;
  const std::string good = files.write("good", "1\n2\n");
  const std::string bad = files.write("bad", bytes);
  const std::string message = user_error([&] { Corpus({{good}, {bad}, {}}); });
  EXPECT_EQ(message, user_error([&] { Corpus({{bad}, {good}, {}}); }));
  return message;
}

TEST(CheckText, NamesTheEncodingAndWhatToDo) {
  const std::string western = message_of("good\ngr\xFCn\n");
  EXPECT_TRUE(contains(western, "bad:2: invalid UTF-8 at byte 3 of the line (0xFC)")) << western;
  EXPECT_TRUE(contains(western, "cp1252 or Latin-1") && contains(western, "iconv -f CP1252")) << western;
  const std::string korean = message_of("\xC7\xD1\xB1\xB9\xBE\xEE\n");
  EXPECT_TRUE(contains(korean, "bad:1: invalid UTF-8 at byte 1 ") && contains(korean, "cp949 or EUC-KR")) << korean;
  const std::string wide = message_of(utf16("a cat\na dog\n"));
  EXPECT_TRUE(contains(wide, "bad:1: ") && contains(wide, "UTF-16 without byte order mark")) << wide;
  EXPECT_TRUE(contains(message_of("\xFF\xFE" + utf16("a\n")), "UTF-16 (byte order mark)"));
  const std::string damaged = message_of("1\ngr\u00FCn \xFC\n");
  EXPECT_TRUE(contains(damaged, "bad:2: ") && contains(damaged, "or remove the line")) << damaged;
}

using Lines = std::vector<std::string>;

std::string beginning_of(const Lines& lines) {
  return user_error([&] { check_beginning("in", lines); });
}

TEST(CheckBeginning, RefusesWhatIsInAnotherEncodingAsAWhole) {
  const std::string korean = "\xC7\xD1\xB1\xB9\xBE\xEE";
  const std::string western = "gr\xFCn";
  const std::string message = beginning_of({"1", korean, "", korean});
  EXPECT_TRUE(contains(message, "in:2: 2 of the first 3 lines are not UTF-8; the text is probably cp949")) << message;
  EXPECT_TRUE(contains(beginning_of({korean}), "cp949"));
  EXPECT_TRUE(contains(beginning_of({western, western, western, "a"}), "cp1252"));
  EXPECT_TRUE(contains(beginning_of({utf16("a cat"), "\0"s + utf16("a dog")}), "UTF-16"));
  const std::string russian = "\xCF\xF0\xE8\xE2\xE5\xF2";
  EXPECT_TRUE(contains(beginning_of({russian, russian, russian}), "in:1: 3 of the first 3 lines are not UTF-8"));
}

TEST(CheckBeginning, LetsSingleBadLinesPass) {
  const std::string korean = "\xC7\xD1\xB1\xB9\xBE\xEE";
  const std::string western = "gr\xFCn";
  const std::string good = "\uD55C";
  for (const Lines& lines : {Lines{}, Lines{""}, Lines{western}, Lines{western, western}, Lines{korean, "a"},
                             Lines{korean, korean, good, good, good}, Lines{western, western, western, "a", "b", "c"},
                             Lines{western, western, western, good}, Lines{"\xFF", "\xFE\xC0"}, Lines{"a\0b"s}}) {
    EXPECT_NO_THROW(check_beginning("in", lines));
  }
}

TEST(CheckBeginning, RefusesPointersAndPagesInTheFirstLine) {
  EXPECT_TRUE(contains(beginning_of({"version https://git-lfs.github.com/spec/v1"}), "in: is a pointer of Git LFS"));
  EXPECT_TRUE(contains(beginning_of({"<!DOCTYPE html>"}), "in: is an HTML page"));
  EXPECT_NO_THROW(check_beginning("in", Lines{"a", "<!DOCTYPE html>"}));
}

TEST(CheckText, NamesPointersOfGitLfs) {
  const std::string pointer =
      "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daa\nsize "
      "9\n";
  const std::string message = message_of(pointer);
  EXPECT_TRUE(contains(message, "bad: is a pointer of Git LFS") && contains(message, "git lfs pull")) << message;
  const TempFiles files;
  const std::string path = files.write("a.tsv", pointer);
  for (const bool header : {false, true}) {
    EXPECT_TRUE(contains(user_error([&] { Corpus({{}, {}, {path}}, header); }), "a.tsv: is a pointer of Git LFS"));
  }
}

TEST(CheckText, NamesHtmlPages) {
  for (const char* begin : {"<!DOCTYPE html>\n", "  <!doctype HTML PUBLIC>\n", "<html>\n", "<HTML lang=\"en\">\n"}) {
    EXPECT_TRUE(contains(message_of(begin), "bad: is an HTML page, expected plain text")) << begin;
  }
}

TEST(CheckText, TakesSuchTextInLaterLines) {
  const TempFiles files;
  const std::string path = files.write(
      "a", "<htmlish>\n<html>\nversion https://git-lfs.github.com/spec/v1\noid sha256:1\n<!doctype html>\na\0b\n"s);
  EXPECT_EQ(Corpus({{path}, {path}, {}}).size(), 6u);
}

}  // namespace
}  // namespace dragoman
