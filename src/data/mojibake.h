// UTF-8 that was read as cp1252 and encoded again, such as "Ã©" for "é".
#pragma once

#include <string_view>

namespace dragoman {

/// Can all of the line's characters beyond ASCII be such a mistake, and is what they were likely there? A few lines
/// prove nothing.
[[nodiscard]] bool has_mojibake(std::string_view line);

}  // namespace dragoman
