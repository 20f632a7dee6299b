// UTF-8 that was read as cp1252 and encoded again, such as "Ã©" for "é".
#pragma once

#include <string_view>

namespace dragoman {

/// Has the line a character that only such a mistake is likely to make? Text in capitals before a sign, as in "É®", may
/// look so: a few lines prove nothing.
[[nodiscard]] bool has_mojibake(std::string_view line);

}  // namespace dragoman
