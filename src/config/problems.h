// The problems found in a configuration, gathered so that the user sees all of them at once; warnings likewise.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/error.h"

namespace dragoman {

/// Where a value came from: a file and line, or "--set" and line 0.
struct Place {
  std::string origin;
  std::size_t line = 0;
};

class Problems {
 public:
  /// "ORIGIN:LINE: KEY: message"; an empty key is left out.
  void add(const Place& place, const std::string& key, const std::string& message);

  /// One that was thrown, and has no line.
  void add(const UserError& error);

  [[nodiscard]] bool empty() const { return found_.empty(); }

  /// One a line, in the order of the lines of the file.
  [[nodiscard]] std::vector<std::string> lines() const;

  /// Throws a UserError with these lines; does nothing without problems.
  void throw_if_any() const;

 private:
  struct Problem {
    Place place;
    std::string text;
  };
  std::vector<Problem> found_;
};

}  // namespace dragoman
