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

/// Cleaning must leave it alone, and within a line too.
void expect_kept(const std::string& text, const char* what) {
  EXPECT_EQ(clean_text(text), text) << what;
  EXPECT_EQ(clean_text(" . " + text + "  .\t"), ". " + text + " .") << what;
}

TEST(CleanText, KeepsJoinersAtTheEndsOfWords) {
  expect_kept("\u0D05\u0D35\u0D28\u0D4D\u200D", "Malayalam: a chillu as virama and U+200D");
  expect_kept("\u0D05\u0D35\u0D28\u0D4D\u200D.", "and before a full stop");
  expect_kept("\u0995\u09CD\u200C", "Bengali: a visible virama");
  expect_kept("\u0995\u09CD\u200C \u0996", "before another word");
  expect_kept("\u0646\u0627\u0645\u0647\u200C", "Persian, U+200C");
  expect_kept("\u0647\u200D.", "Persian: the abbreviation of a calendar, U+200D");
  expect_kept("\u200D\u0647", "a final form that stands alone");
  expect_kept("\u06F1\u06F2\u200C\u0633\u0627\u0644\u0647", "Persian: behind a number");
  expect_kept("\u00AB\u06A9\u00BB\u200C\u0647\u0627", "Persian: behind a quotation");
  expect_kept("\u0644\u200D\u200C\u200D\u0627", "joined without a ligature");
  expect_kept("\u0DC1\u0DCA\u200D\u0DBB\u0DD3", "Sinhala");
  expect_kept("\u09B0\u200D\u09CD\u09AF", "Bengali: before a virama");
  expect_kept("\u182A\u180E\u1820", "Mongolian vowel separator");
  expect_kept("\U00013000\U00013430\U00013001", "Egyptian: one above the other");
}

TEST(CleanText, KeepsEmojiWhole) {
  expect_kept("\U0001F468\u200D\U0001F469\u200D\U0001F467", "a family");
  expect_kept("\U0001F469\U0001F3FD\u200D\U0001F4BB", "with a skin tone");
  expect_kept("\u2764\uFE0F\u200D\U0001F525", "with a variation selector");
  expect_kept("\U0001F3F4\u200D\u2620\uFE0F", "the pirates' flag");
  expect_kept("\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F", "Scotland's flag");
  expect_kept("\U0001F1F0\U0001F1F7 1\uFE0F\u20E3", "a flag of two letters, a key");
  const std::string scotland = "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074";
  EXPECT_EQ(clean_text(scotland), "\U0001F3F4") << "tags that don't end";
  EXPECT_EQ(clean_text("a\U000E0067\U000E007Fb \U000E0067"), "ab") << "tags of nothing";
  EXPECT_EQ(clean_text("\U0001F3F4\U000E007F"), "\U0001F3F4");
  EXPECT_EQ(clean_text("\U0001F600\u200D \u200D\U0001F600\u200Da"), "\U0001F600 \U0001F600a");
  EXPECT_EQ(clean_text("\U0001F600\u200C\U0001F600"), "\U0001F600\U0001F600");
}

TEST(CleanText, KeepsZeroWidthSpacesOfScriptsWithoutSpaces) {
  expect_kept("\u1797\u17B6\u179F\u17B6\u200B\u1781\u17D2\u1798\u17C2\u179A", "Khmer");
  expect_kept("\u0E20\u0E32\u0E29\u0E32\u200B\u0E44\u0E17\u0E22", "Thai");
  expect_kept("\u1781\u17D2\u1798\u17C2\u179A\u200BABC", "before a Latin word");
  EXPECT_EQ(clean_text("\u200B\u1781\u200B \u200B\u1781\u200B\u200B\u1781\u200B"), "\u1781 \u1781\u200B\u1781");
}

TEST(CleanText, CollapsesRunsOfJoiners) {
  std::string many;
  for (int i = 0; i < 200'000; ++i) many += "\u200C\u200C\u200D";
  EXPECT_EQ(clean_text("\u0647" + many + ".").size(), 2 + 3 * 400'000U + 1) << "and takes no quadratic time";
  EXPECT_EQ(clean_text("\u0647\u200C\u200C\u200C\u0647"), "\u0647\u200C\u0647");
  EXPECT_EQ(clean_text("a" + many + "."), "a.");
}

TEST(CleanText, KeepsVisibleFormatCharacters) { EXPECT_EQ(clean_text("\u0600\u06DD"), "\u0600\u06DD"); }

TEST(CleanText, SaysWhatItChanges) {
  const auto changes = [](const std::string& text) {
    CleaningChanges c{true, true, true};
    (void)clean_text(text, &c);
    return std::string(c.spaces ? "s" : "") + (c.removed ? "r" : "") + (c.composed ? "c" : "");
  };
  EXPECT_EQ(changes("a b \u0915\u094D\u200D\u0937 \u00E9"), "");
  for (const std::string text : {" a", "a ", "a  b", "a\tb", "a\u00A0b", "a\u200A", " "})
    EXPECT_EQ(changes(text), "s") << text;
  for (const std::string text : {"a\x01", "\uFEFFa", "a\u200B", "a\u00ADb", "\u200D"})
    EXPECT_EQ(changes(text), "r") << text;
  EXPECT_EQ(changes("e\u0301"), "c");
  EXPECT_EQ(changes("a \u200B b"), "sr") << "a space is too many when the other character is gone";
  EXPECT_EQ(changes("\te\u200B\u0301"), "src");
}

TEST(IsBlank, IsWhatCleaningLeavesNothingOf) {
  for (const std::string text : {"", " ", "\t\v", "\u3000\u00A0", "\u2028", "\u200B\u200D\uFEFF", "\x01"}) {
    EXPECT_TRUE(is_blank(text)) << text;
    EXPECT_EQ(clean_text(text), "");
  }
  for (const std::string text : {"a", "  .", "\u0301", "\xFF", "\u0600"}) {
    EXPECT_FALSE(is_blank(text)) << text;
    EXPECT_NE(clean_text(text), "");
  }
}

TEST(IsComposed, KnowsNfc) {
  for (const std::string& text : {""s, "caf\u00E9"s, "\uD55C"s, "q\u0323\u0307"s, "\u09A1\u09BC"s, "a\0b"s})
    EXPECT_TRUE(is_composed(text)) << text;
  for (const std::string text : {"cafe\u0301", "\u1112\u1161\u11AB", "q\u0307\u0323", "\u09DC", "\u212B"}) {
    EXPECT_FALSE(is_composed(text)) << text;
  }
}

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
  constexpr char32_t kAlphabet[] = {'a',     ' ',     '\t',    0x301, 0x323,  0xE9,   0x200B, 0x200C, 0x200D, 0x1100,
                                    0x1161,  0xFEFF,  0x94D,   0x915, 0x212A, 0x2028, 0x600,  '1',    0,      0x1F600,
                                    0x647,   0x64B,   0x93C,   0x958, 0x180E, 0x1820, 0x1781, 0x17D2, 0xFE0F, 0x1F3FD,
                                    0x1F3F4, 0xE0067, 0xE007F, 0x338, 0x3D,   0x9BE,  0x9C7,  0x11F0, 0x11A8};
  Rng rng(5);
  for (int round = 0; round < 60'000; ++round) {
    std::u32string text;
    for (std::uint64_t i = rng.below(12); i > 0; --i) text += kAlphabet[rng.below(std::size(kAlphabet))];
    const std::string once = clean_text(encode_utf8(text));
    ASSERT_EQ(clean_text(once), once);
    ASSERT_EQ(once.find("  "), std::string::npos);
    CleaningChanges none;
    ASSERT_EQ(clean_text(once, &none), once);
    ASSERT_FALSE(none.spaces || none.removed || none.composed) << once;
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
