#include "data/long_line.h"

#include <gtest/gtest.h>

#include <string>

#include "core/utf8.h"

namespace dragoman {
namespace {

TEST(Beginning, IsTheWholeTextUpToTheLimit) {
  const std::string text(kMaxLineToTokenize, 'x');
  EXPECT_EQ(beginning(text, 1), text);
  EXPECT_EQ(beginning("", 1), "");
  EXPECT_EQ(beginning(text + text, 2000), text + text) << "100 bytes a piece";
  EXPECT_EQ(beginning(text + text + "x", 2000), text + text);
}

TEST(Beginning, EndsBeforeASpace) {
  std::string text;
  while (text.size() < 3 * kMaxLineToTokenize) text += "word ";
  const std::string_view start = beginning(text, 1);
  EXPECT_EQ(start.size(), kMaxLineToTokenize - 1);
  EXPECT_EQ(text[start.size()], ' ');
}

TEST(Beginning, EndsBetweenCharactersWithoutASpaceNearby) {
  for (const std::string first : {"", "a", "ab", "a b"}) {
    std::string text = first;
    while (text.size() < 2 * kMaxLineToTokenize) text += "\uAC00";
    const std::string_view start = beginning(text, 1);
    EXPECT_LE(start.size(), kMaxLineToTokenize);
    EXPECT_GT(start.size(), kMaxLineToTokenize - 3);
    EXPECT_EQ(first_invalid(start), std::string_view::npos);
  }
}

}  // namespace
}  // namespace dragoman
