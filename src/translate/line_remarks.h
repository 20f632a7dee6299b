// What happened to single lines of a translation, in words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/real.h"
#include "data/encoding_guess.h"

namespace DRAGOMAN_NAMESPACE {

/// Numbers of lines count from 1.
struct LineRemarks {
  std::vector<std::size_t> bad_utf8;      ///< bad sequences became U+FFFD
  Encoding encoding = Encoding::unknown;  ///< of the first of them that can be guessed
  std::vector<std::size_t> cut;           ///< cut at decoding.max_input pieces, or at what the model takes
  std::vector<std::size_t> unknown;       ///< with source pieces that the vocabulary doesn't have
  std::size_t unknown_pieces = 0;         ///< of all lines
  std::vector<std::size_t> ended;         ///< the translation was ended by the length cap
  std::vector<std::size_t> few;           ///< fewer different translations than asked for
};

/// What the remarks refer to.
struct RemarkLimits {
  Index max_input = 0;
  bool input_positions = false;   ///< max_input is the encoder's number of positions
  bool target_positions = false;  ///< the decoder has a number of positions, too
  Index n_best = 1;
};

/// One sentence a kind, with the first line numbers; empty when there is nothing to say.
std::vector<std::string> describe(const LineRemarks& remarks, const RemarkLimits& limits);

/// "line 3", or "12 lines (1, 2, ...)".
std::string list_lines(const std::vector<std::size_t>& lines);

}  // namespace DRAGOMAN_NAMESPACE
