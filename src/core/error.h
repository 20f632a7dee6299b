// Errors. A user's mistake is a UserError: one readable message, exit code 2. A broken invariant of ours is
// a failed CHECK: it throws std::logic_error, is kept in release builds, and main() exits with 1.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace dragoman {

/// The user's input is wrong. The message says where (file, line, key), what was found, what was expected
/// and what to do. main() prints it and exits with 2.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;

  /// "FILE:LINE: message"; line 0 means the file as a whole ("FILE: message"). Lines count from 1.
  UserError(const std::string& file, std::size_t line, const std::string& message)
      : std::runtime_error(file + (line ? ":" + std::to_string(line) : "") + ": " + message) {}
};

[[noreturn]] void check_failed(const char* file, int line, const char* condition, const std::string& message);

}  // namespace dragoman

/// Programmer errors at layer borders, e.g. CHECK(x.cols == w.rows, "Linear: width of x").
#define CHECK(condition, message) \
  (static_cast<bool>(condition) ? void() : ::dragoman::check_failed(__FILE__, __LINE__, #condition, message))
