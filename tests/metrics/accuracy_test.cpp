#include "metrics/accuracy.h"

#include <gtest/gtest.h>

namespace dragoman {
namespace {

TEST(SequenceAccuracy, IsTheShareOfExactLines) {
  SequenceAccuracy accuracy;
  EXPECT_EQ(accuracy.value(), 0);
  accuracy.add("3 2 1", "3 2 1");
  accuracy.add("3 2 1 ", "3 2 1");
  accuracy.add("", "");
  accuracy.add("a", "A");
  EXPECT_EQ(accuracy.lines, 4);
  EXPECT_EQ(accuracy.value(), 0.5);
}

}  // namespace
}  // namespace dragoman
