// What decoding gives back.
#pragma once

#include <vector>

#include "core/real.h"

namespace dragoman {

struct Hypothesis {
  std::vector<TokenId> ids;  ///< pieces, without bos and eos
  double log_prob = 0;       ///< natural, of pieces and eos
  double score = 0;          ///< log_prob / length penalty
  bool cut = false;          ///< ended by the length cap: another piece was more probable than eos
};

}  // namespace dragoman
