// What a line that is not UTF-8 text may be encoded in.
#pragma once

#include <cstddef>
#include <string_view>

namespace dragoman {

enum class Encoding {
  unknown,  ///< UTF-8, perhaps with damage here and there, or something else
  utf16,    ///< without byte order mark: NUL at every second byte of what is ASCII
  utf32,    ///< without byte order mark: two NULs in a row of every four bytes
  cp949,    ///< EUC-KR with Microsoft's additions: Hangul syllables of two bytes
  cp1252,   ///< Latin-1 with Microsoft's additions: single bytes for accented letters
};

/// Characters above ASCII.
struct Utf8Count {
  std::size_t valid = 0;
  std::size_t invalid = 0;  ///< bad sequences
};
[[nodiscard]] Utf8Count count_utf8(std::string_view line);

/// A guess by the bytes of one line. Of UTF-16 and UTF-32 a line may also be valid UTF-8; cp949 and cp1252 are only guessed
/// when the line is not.
[[nodiscard]] Encoding guess_encoding(std::string_view line);

}  // namespace dragoman
