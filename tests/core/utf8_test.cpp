#include "core/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace dragoman {
namespace {

using namespace std::string_literals;

constexpr auto npos = std::string_view::npos;
const std::string kBad = "\uFFFD";

TEST(Utf8, AcceptsTheLimitsOfEveryLength) {
  for (const char* text :
       {"", "\x7F", "\u0080", "\u07FF", "\u0800", "\uD7FF", "\uE000", "\uFFFF", "\U00010000", "\U0010FFFF"}) {
    EXPECT_EQ(first_invalid(text), npos) << text;
  }
  EXPECT_EQ(first_invalid("a\0b"s), npos);
}

TEST(Utf8, FindsTheFirstBadByte) {
  EXPECT_EQ(first_invalid("ab\xE4 cd"), 2u);          // Latin-1
  EXPECT_EQ(first_invalid("\u00E9\x80"), 2u);         // continuation without lead
  EXPECT_EQ(first_invalid("x\xC0\x80"), 1u);          // overlong NUL
  EXPECT_EQ(first_invalid("x\xC1\xBF"), 1u);          // overlong, two bytes
  EXPECT_EQ(first_invalid("x\xE0\x9F\xBF"), 1u);      // overlong, three bytes
  EXPECT_EQ(first_invalid("x\xF0\x8F\xBF\xBF"), 1u);  // overlong, four bytes
  EXPECT_EQ(first_invalid("x\xED\xA0\x80"), 1u);      // surrogate
  EXPECT_EQ(first_invalid("x\xF4\x90\x80\x80"), 1u);  // above U+10FFFF
  EXPECT_EQ(first_invalid("x\xF5\x80\x80\x80"), 1u);
  EXPECT_EQ(first_invalid("xy\xE2\x82"), 2u);  // truncated at the end
  EXPECT_EQ(first_invalid("\xFE"), 0u);
}

// The examples of the Unicode standard, tables 3-8 to 3-11.
TEST(Utf8, ReplacesEachMaximalSubpartOnce) {
  const auto repeat = [](int n) {
    std::string text;
    for (int i = 0; i < n; ++i) text += kBad;
    return text;
  };
  EXPECT_EQ(replace_invalid("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), repeat(8) + "A");
  EXPECT_EQ(replace_invalid("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), repeat(8) + "A");
  EXPECT_EQ(replace_invalid("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), repeat(5) + "A" + repeat(2) + "B");
  EXPECT_EQ(replace_invalid("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), repeat(4) + "A");
}

TEST(Utf8, ReplacementSaysWhetherAnythingChangedAndSparesTheNextByte) {
  bool changed = true;
  EXPECT_EQ(replace_invalid("gr\u00FC\u00DFe", &changed), "gr\u00FC\u00DFe");
  EXPECT_FALSE(changed);
  EXPECT_EQ(replace_invalid("a\xE2\x82\nb", &changed), "a" + kBad + "\nb");
  EXPECT_TRUE(changed);
}

TEST(Utf8, EveryScalarValueSurvivesEncodingAndDecoding) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c == 0xD800) c = 0xE000;
    std::string text;
    append_utf8(text, c);
    ASSERT_EQ(first_invalid(text), npos) << std::hex << static_cast<unsigned>(c);
    std::size_t pos = 0;
    ASSERT_EQ(decode_utf8(text, pos), c);
    ASSERT_EQ(pos, text.size());
  }
}

TEST(Utf8, EncodesWhatIsNotAScalarValueAsReplacement) {
  for (const char32_t c : {char32_t{0xD800}, char32_t{0xDFFF}, char32_t{0x110000}, char32_t{0xFFFFFFFF}}) {
    std::string text;
    append_utf8(text, c);
    EXPECT_EQ(text, kBad);
  }
}

TEST(Utf8, DecodesWholeTexts) {
  EXPECT_EQ(decode_utf8("a\u00E9\u20AC\U0001F600"), U"a\u00E9\u20AC\U0001F600");
  EXPECT_EQ(encode_utf8(U"a\u00E9\u20AC\U0001F600"), "a\u00E9\u20AC\U0001F600");
}

}  // namespace
}  // namespace dragoman
