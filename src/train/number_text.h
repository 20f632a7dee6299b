// Numbers in messages.
#pragma once

#include <cstdio>
#include <string>

namespace dragoman {

/// With six significant digits.
inline std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

}  // namespace dragoman
