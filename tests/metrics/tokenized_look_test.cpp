// Text that a tokenizer has cut, and text that only looks a little like it.
#include "metrics/tokenized_look.h"

#include <gtest/gtest.h>

namespace dragoman {
namespace {

TokenizedLook look_of(int spaced, int plain, int without) {
  TokenizedLook look;
  for (int i = 0; i < spaced; ++i) look.add("a man sleeps .");
  for (int i = 0; i < plain; ++i) look.add("A man sleeps.");
  for (int i = 0; i < without; ++i) look.add("Un homme dort !");
  return look;
}

TEST(TokenizedLook, IsASpaceBeforeMostFullStops) {
  EXPECT_TRUE(look_of(10, 9, 1000).tokenized());
  EXPECT_EQ(look_of(10, 9, 1000).spaced(), 10);
  EXPECT_FALSE(look_of(10, 10, 0).tokenized()) << "half of them";
  EXPECT_FALSE(look_of(9, 0, 0).tokenized()) << "too few to tell";
  EXPECT_FALSE(look_of(0, 0, 1000).tokenized());
}

}  // namespace
}  // namespace dragoman
