// Pieces that other people's SentencePiece models have and ours don't.
#pragma once

#include <string>

namespace dragoman::testing {

/// One more piece for the end of a serialized model (protobuf: ModelProto.pieces with piece, score 0 and type).
inline std::string more_piece(const std::string& text, char type) {
  const auto length = [](const std::string& bytes) { return std::string(1, static_cast<char>(bytes.size())); };
  const std::string piece = "\x0A" + length(text) + text + "\x15" + std::string(4, '\0') + "\x18" + type;
  return "\x0A" + length(piece) + piece;
}

inline std::string control_piece(const std::string& text) { return more_piece(text, 3); }
inline std::string unused_piece(const std::string& text) { return more_piece(text, 5); }

}  // namespace dragoman::testing
