// JSON from elsewhere: its whole numbers, and what is wrong with it.
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "core/error.h"

namespace dragoman {

inline constexpr std::uint64_t kLargestCount = std::uint64_t{1} << 53;  ///< sums of such numbers can't overflow

/// UserError naming `path` and `name` unless it is a whole number from 0 to `largest`.
template <class Json>
std::uint64_t whole_number(const Json& value, const std::string& name, const std::string& path,
                           std::uint64_t largest = kLargestCount) {
  if (value.is_number_unsigned() && value.template get<std::uint64_t>() <= largest) {
    return value.template get<std::uint64_t>();
  }
  throw UserError(path, 0, "damaged: " + name + " is not a whole number from 0 to " + std::to_string(largest));
}

/// What an exception of the library says, without its own name for it ("[json.exception.parse_error.101] ").
inline std::string json_problem(const std::exception& error) {
  const std::string text = error.what();
  const std::size_t name = text.starts_with("[json.") ? text.find("] ") : std::string::npos;
  return name == std::string::npos ? text : text.substr(name + 2);
}

}  // namespace dragoman
