// Whole numbers in JSON from elsewhere.
#pragma once

#include <cstdint>
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

}  // namespace dragoman
