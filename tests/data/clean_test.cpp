#include "data/clean.h"

#include <gtest/gtest.h>

#include <string>

#include "core/rng.h"
#include "core/utf8.h"
#include "data/temp_files.h"
#include "io/line_reader.h"

namespace dragoman {
namespace {

using namespace std::string_literals;

TEST(CleanText, TurnsEveryKindOfSpaceIntoOne) {
  for (const char32_t c :
       U"\t\n\v\f\r\x1C\x1D\x1E\x1F \u0085\u00A0\u1680\u2000\u2003\u2009\u200A\u2028\u2029\u202F"
       U"\u205F\u3000"s) {
    const std::string space = encode_utf8(std::u32string(1, c));
    EXPECT_EQ(clean_text("a" + space + "b"), "a b") << std::hex << static_cast<unsigned>(c);
    EXPECT_EQ(clean_text(space + "a" + space + " " + space + "b" + space), "a b");
    EXPECT_EQ(clean_text(space), "");
  }
}

TEST(CleanText, RemovesControlAndFormatCharacters) {
  for (const char32_t c : U"\x01\x08\x0E\x1B\x7F\u0080\u009F\u00AD\u200B\u200E\u200F\u202A\u202E\u2060\u2066\uFEFF"s) {
    const std::string removed = encode_utf8(std::u32string(1, c));
    EXPECT_EQ(clean_text("a" + removed + "b"), "ab") << std::hex << static_cast<unsigned>(c);
    EXPECT_EQ(clean_text("a " + removed + " b"), "a b");
    EXPECT_EQ(clean_text(removed), "");
  }
  EXPECT_EQ(clean_text("a\0b"s), "ab");
}

TEST(CleanText, KeepsJoinersBetweenLettersOnly) {
  EXPECT_EQ(clean_text("\u0645\u06CC\u200C\u062E\u0648\u0627"), "\u0645\u06CC\u200C\u062E\u0648\u0627");  // Persian
  EXPECT_EQ(clean_text("\u0915\u094D\u200D\u0937"), "\u0915\u094D\u200D\u0937");  // Devanagari, after a virama
  EXPECT_EQ(clean_text("\u200Ca\u200C b\u200D1 \u200D."), "a b1 .");
}

TEST(CleanText, KeepsVisibleFormatCharacters) { EXPECT_EQ(clean_text("\u0600\u06DD"), "\u0600\u06DD"); }

TEST(CleanText, ComposesToNfc) {
  EXPECT_EQ(clean_text("e\u0301"), "\u00E9");
  EXPECT_EQ(clean_text("\u1112\u1161\u11AB"), "\uD55C");    // Hangul jamo
  EXPECT_EQ(clean_text("q\u0307\u0323"), "q\u0323\u0307");  // canonical order
  EXPECT_EQ(clean_text("\u212B"), "\u00C5");                // angstrom sign
  EXPECT_EQ(clean_text("\uFB01 \u00B2"), "\uFB01 \u00B2");  // compatibility forms stay (not NFKC)
  EXPECT_EQ(clean_text("e\u200B\u0301"), "\u00E9");         // composed after the removal
}

TEST(CleanText, LeavesOrdinaryTextAlone) {
  for (const char* text :
       {"", "A plain line.", "&lt;b&gt; 100% \\n <s> </s> a ||| b", "\u2581under", "\U0001F600 ok"}) {
    EXPECT_EQ(clean_text(text), text);
  }
}

TEST(CleanText, ReplacesBadUtf8) { EXPECT_EQ(clean_text("a\xE4 b"), "a\uFFFD b"); }

TEST(CleanText, IsIdempotent) {
  constexpr char32_t kAlphabet[] = {'a',    ' ',    '\t',  0x301, 0x323,  0xE9,   0x200B, 0x200C, 0x200D, 0x1100,
                                    0x1161, 0xFEFF, 0x94D, 0x915, 0x212A, 0x2028, 0x600,  '1',    0,      0x1F600};
  Rng rng(5);
  for (int round = 0; round < 3000; ++round) {
    std::u32string text;
    for (std::uint64_t i = rng.below(12); i > 0; --i) text += kAlphabet[rng.below(std::size(kAlphabet))];
    const std::string once = clean_text(encode_utf8(text));
    ASSERT_EQ(clean_text(once), once);
    ASSERT_EQ(once.find("  "), std::string::npos);
  }
}

TEST(NormalizeText, FollowsTheKey) {
  EXPECT_EQ(normalize_text(" a  b", "clean"), "a b");
  EXPECT_EQ(normalize_text(" a  b", "none"), " a  b");
  EXPECT_NE(testing::user_error([] { (void)normalize_text("a", "nfkc"); }).find("data.normalization"),
            std::string::npos);
}

TEST(CleanText, CleansDirtyText) {
  SKIP_WITHOUT_DIRTY_TEXT();
  for (const char* name : {"03-bom.en", "03-bom.de"}) {
    for (const std::string& line : read_lines(testing::dirty(name))) {
      EXPECT_EQ(clean_text(line).find("\uFEFF"), std::string::npos);
    }
  }
  for (const char* name : {"05-linebreaks.en", "05-linebreaks.de"}) {
    for (const std::string& line : read_lines(testing::dirty(name))) {
      for (const char32_t c : decode_utf8(clean_text(line))) {
        EXPECT_TRUE(c >= 0x20 && c != 0x85 && c != 0x2028 && c != 0x2029) << line;
      }
    }
  }
  const auto bad = read_lines(testing::dirty("07-invalid-utf8.de"));
  EXPECT_EQ(bad.size(), 8u);
  for (const std::string& line : bad) EXPECT_EQ(first_invalid(clean_text(replace_invalid(line))), std::string::npos);
  int empty = 0;
  for (const std::string& line : read_lines(testing::dirty("22-infer.en"))) empty += clean_text(line).empty();
  EXPECT_GE(empty, 3);  // an empty line, blanks, only U+2028
}

}  // namespace
}  // namespace dragoman
