#include "app/stack_size.h"

#include <sys/resource.h>

#include <cctype>
#include <cstdlib>
#include <optional>

namespace dragoman {
namespace {

constexpr double kLeast = 256 * 1024;  // bytes: many times what a thread needs

/// Bytes of "512", "512 k", "4M", as OpenMP reads them (kilobytes without a unit); none: it ignores the text.
std::optional<double> bytes_of(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return std::nullopt;
  while (std::isspace(static_cast<unsigned char>(*end)) != 0) ++end;
  switch (std::tolower(static_cast<unsigned char>(*end))) {
    case 'b':
      return number;
    case '\0':
    case 'k':
      return number * 1024;
    case 'm':
      return number * 1024 * 1024;
    case 'g':
      return number * 1024 * 1024 * 1024;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string stack_problem() {
  for (const char* name : {"OMP_STACKSIZE", "GOMP_STACKSIZE", "KMP_STACKSIZE"}) {
    const char* text = std::getenv(name);
    if (text == nullptr) continue;
    const std::optional<double> bytes = bytes_of(text);
    if (bytes && *bytes < kLeast) {
      return std::string(name) + ": found " + text + " in the environment, expected at least 256K; unset it";
    }
  }
  rlimit stack{};
  if (getrlimit(RLIMIT_STACK, &stack) == 0 && static_cast<double>(stack.rlim_cur) < kLeast) {
    return "ulimit -s: found " + std::to_string(stack.rlim_cur / 1024) +
           ", expected at least 256; raise the limit of the stack in this shell";
  }
  return "";
}

}  // namespace dragoman
