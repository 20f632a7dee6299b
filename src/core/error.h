// Errors. A user's mistake is a UserError: one readable message, exit code 2. A broken invariant of ours is
// a failed CHECK: it throws std::logic_error, is kept in release builds, and main() exits with 1.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace dragoman {

/// The user's input is wrong. The message says where (file, line, key), what was found, what was expected
/// and what to do. main() prints it and exits with 2.
class UserError : public std::runtime_error {
 public:
  /// One line or several.
  explicit UserError(const std::string& message);

  /// "FILE:LINE: message"; line 0 means the file as a whole ("FILE: message"). Lines count from 1. One line.
  UserError(const std::string& file, std::size_t line, const std::string& message);
};

/// Text from a file, fit for one line of a message: control characters become \xNN, so that they can't speak to the
/// terminal or feign lines.
[[nodiscard]] std::string one_line(std::string_view text);

[[noreturn]] void check_failed(const char* file, int line, const char* condition, const std::string& message);

}  // namespace dragoman

/// Programmer errors at layer borders, e.g. CHECK(x.cols == w.rows, "Linear: width of x").
#define CHECK(condition, message) \
  (static_cast<bool>(condition) ? void() : ::dragoman::check_failed(__FILE__, __LINE__, #condition, message))
