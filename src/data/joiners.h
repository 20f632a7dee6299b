// Characters without a picture of their own that change how their neighbors look or where words end.
#pragma once

#include <string>
#include <string_view>

namespace dragoman {

/// U+200C and U+200D (joiners), U+200B (zero width space), U+180E (Mongolian vowel separator), U+E0020 to U+E007F (tags
/// of emoji).
[[nodiscard]] bool is_joiner(char32_t c);

/// Removes those without effect, and all but one of equal ones in a row. What stays (core specification of Unicode,
/// 9.2, 12.1 and 23.2; UTS 51):
/// - joiners between letters (marks belong to their letters), after a virama, beside a letter of a cursive script: at a
///   word's end too, at its beginning U+200D only; U+200D between pictures as well;
/// - U+200B between characters of which one is of a script that has no spaces between words, such as Khmer;
/// - U+180E between Mongolian letters;
/// - tags behind a picture that end in U+E007F, as in the flag of Scotland.
/// The text has no spaces but U+0020, and no control characters.
[[nodiscard]] std::string drop_idle_joiners(std::string_view text);

}  // namespace dragoman
