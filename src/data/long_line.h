// Lines that are too long for a tokenizer.
#pragma once

#include <cstddef>
#include <string_view>

namespace dragoman {

/// Lines of more bytes than this are never tokenized whole: SentencePiece takes 240 bytes of memory for a byte of text.
inline constexpr std::size_t kMaxLineToTokenize = 100'000;

/// The beginning of a text, long enough for `pieces` pieces: the whole text up to kMaxLineToTokenize bytes, or 100 a piece
/// if that is more. It ends before a space, or between two characters where there is none for long.
[[nodiscard]] std::string_view beginning(std::string_view text, std::size_t pieces);

}  // namespace dragoman
