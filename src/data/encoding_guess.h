// What a line that is not UTF-8 text may be encoded in.
#pragma once

#include <string_view>

namespace dragoman {

enum class Encoding {
  unknown,  ///< UTF-8, perhaps with damage here and there, or something else
  utf16,    ///< without byte order mark: NUL at every second byte of what is ASCII
  cp949,    ///< EUC-KR with Microsoft's additions: Hangul syllables of two bytes
  cp1252,   ///< Latin-1 with Microsoft's additions: single bytes for accented letters
};

/// A guess by the bytes of one line. Of UTF-16 a line may also be valid UTF-8; cp949 and cp1252 are only guessed
/// when the line is not.
[[nodiscard]] Encoding guess_encoding(std::string_view line);

}  // namespace dragoman
