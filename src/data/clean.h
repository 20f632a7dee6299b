// Text cleaning, the same in training and in translation.
#pragma once

#include <string>
#include <string_view>

namespace dragoman {

/// What cleaning a line has changed.
struct CleaningChanges {
  bool spaces = false;    ///< other kinds, runs, at the ends
  bool removed = false;   ///< control and format characters
  bool composed = false;  ///< NFC: letters with their marks, and the order of marks
};

/// Unicode NFC; every run of white space (Unicode spaces, TAB, LF, VT, FF, CR, U+001C to U+001F, U+0085, U+2028,
/// U+2029) becomes one space, none at the ends; other control and format characters (Cc, Cf: NUL, U+FEFF, soft
/// hyphen, direction marks) are removed, except joiners and the like where they mean something (data/joiners.h) and the
/// few format characters that are visible (Arabic number signs and the like). Bad UTF-8 becomes U+FFFD.
/// clean_text(clean_text(x)) == clean_text(x). *changes (may be null) is set.
[[nodiscard]] std::string clean_text(std::string_view text, CleaningChanges* changes = nullptr);

/// Nothing but what cleaning makes a space or removes.
[[nodiscard]] bool is_blank(std::string_view text);

/// Is the text, which is valid UTF-8, in NFC, as cleaned text is?
[[nodiscard]] bool is_composed(std::string_view text);

/// `data.normalization`: "clean" is clean_text, "none" leaves the text (and *changes) alone; anything else is a
/// UserError.
[[nodiscard]] std::string normalize_text(std::string_view text, std::string_view normalization,
                                         CleaningChanges* changes = nullptr);

}  // namespace dragoman
