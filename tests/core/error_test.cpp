#include "core/error.h"

#include <gtest/gtest.h>

namespace dragoman {
namespace {

TEST(UserError, ShowsControlCharactersInsteadOfSendingThem) {
  EXPECT_EQ(one_line(std::string("a\0\x1b[2J\n\x7f \u00fc", 11)), "a\\x00\\x1b[2J\\x0a\\x7f \u00fc");
  EXPECT_EQ(one_line("\u009b2J \u00a0"), "\\x9b2J \u00a0");
  EXPECT_STREQ(UserError("f\x1b", 3, "b\r\nd").what(), "f\\x1b:3: b\\x0d\\x0ad");
  EXPECT_STREQ(UserError("one\ntwo\t").what(), "one\ntwo\\x09") << "several problems are several lines";
}

}  // namespace
}  // namespace dragoman
