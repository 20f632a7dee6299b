#include "data/long_line.h"

#include <algorithm>

namespace dragoman {

std::string_view beginning(std::string_view text, std::size_t pieces) {
  constexpr std::size_t kPieceBytes = 100;  // SentencePiece's longest pieces have 64
  const std::size_t limit = std::max(kMaxLineToTokenize, kPieceBytes * pieces);
  if (text.size() <= limit) return text;
  const std::size_t space = text.rfind(' ', limit);
  if (space != std::string_view::npos && space >= limit / 2) return text.substr(0, space);
  std::size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace dragoman
