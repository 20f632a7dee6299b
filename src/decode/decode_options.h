// The plain struct behind the `decoding:` section of a configuration.
#pragma once

#include <string>

#include "core/real.h"

namespace dragoman {

struct DecodeOptions {
  Index beam_size = 5;
  std::string length_penalty = "average";  ///< none | average | gnmt (docs/specification.md, Decoding)
  double alpha = 1.0;                      ///< exponent of the length penalty
  double max_length_factor = 2.0;          ///< at most factor x source pieces + extra
  Index max_length_extra = 20;
  Index min_length = 0;               ///< pieces before eos is allowed
  Index max_input = 1000;             ///< source pieces; longer lines are cut, with a warning
  std::string stop = "finished";      ///< finished | exact
  bool allow_unknown = false;         ///< may the unk token be generated
  bool replace_unknown = false;       ///< write the source piece that it looks at in its place
  std::string precision = "float32";  ///< of products with weights: float32 | bfloat16
  Index batch_sentences = 64;         ///< sentences decoded together; changes no result
};

}  // namespace dragoman
