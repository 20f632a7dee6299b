// What an encoder hands to a decoder, and all that a decoder sees of the source.
#pragma once

#include <span>

#include "core/mat.h"

namespace DRAGOMAN_NAMESPACE {

struct Memory {
  ConstMat rows;                  ///< [source tokens, width], batch order
  std::span<const Index> offset;  ///< sentence i is rows offset[i] .. offset[i + 1]
  std::span<const Mat> final_h;   ///< for each encoder layer [sentences, final width]
  std::span<const Mat> final_c;   ///< the same for LSTMs; empty matrices otherwise

  [[nodiscard]] Index sentences() const { return static_cast<Index>(offset.size()) - 1; }
  [[nodiscard]] Index longest() const {
    Index most = 0;
    for (Index i = 0; i < sentences(); ++i) most = offset[i + 1] - offset[i] > most ? offset[i + 1] - offset[i] : most;
    return most;
  }
};

/// Gradient of a Memory. Decoders add to it, step by step and layer by layer (unlike other input gradients,
/// which are overwritten), so it starts at zero.
struct MemoryGrad {
  Mat rows;
  std::span<const Mat> final_h, final_c;
};

}  // namespace DRAGOMAN_NAMESPACE
