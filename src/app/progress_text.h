// Reports of a training as lines of text, for train.log and for terminals.
#pragma once

#include <string>
#include <vector>

#include "train/observer.h"

namespace dragoman {

/// A part of a line. In a narrow terminal those of the highest rank go first; 0: never.
struct LinePart {
  std::string text;
  int rank = 0;
};

/// `smoothed`: are labels, so that the loss is not the logarithm of the perplexity beside it?
std::vector<LinePart> interval_fields(const IntervalReport& report, bool smoothed);
std::vector<LinePart> validation_fields(const std::string& kind, const ValidationReport& report, bool smoothed);

/// The fields in one line of at most `width` columns if that can be; 0: all of them.
std::string one_line_of(const std::vector<LinePart>& fields, std::size_t width);

/// All fields in lines of at most `width` columns, the second and further ones indented; 0: in one line.
std::string lines_of(const std::vector<LinePart>& fields, std::size_t width, std::size_t indent);

}  // namespace dragoman
