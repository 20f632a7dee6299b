// Text cleaning, the same in training and in translation.
#pragma once

#include <string>
#include <string_view>

namespace dragoman {

/// Unicode NFC; every run of white space (Unicode spaces, TAB, LF, VT, FF, CR, U+001C to U+001F, U+0085, U+2028,
/// U+2029) becomes one space, none at the ends; other control and format characters (Cc, Cf: NUL, U+FEFF,
/// U+200B, soft hyphen, direction marks) are removed, except U+200C and U+200D between letters and the few
/// format characters that are visible (Arabic number signs and the like). Bad UTF-8 becomes U+FFFD.
/// clean_text(clean_text(x)) == clean_text(x).
[[nodiscard]] std::string clean_text(std::string_view text);

/// `data.normalization`: "clean" is clean_text, "none" leaves the text alone; anything else is a UserError.
[[nodiscard]] std::string normalize_text(std::string_view text, std::string_view normalization);

}  // namespace dragoman
