// Dropout with counter-based masks: nothing is saved, backward draws the same mask again.
#pragma once

#include <cstdint>
#include <span>

#include "core/mat.h"
#include "core/workspace.h"

namespace DRAGOMAN_NAMESPACE {

/// Of each row of a packed batch; none: inference, no dropout.
using NoiseKeys = std::span<const std::uint64_t>;

/// Where the random bits of one pass over a shard come from. A default Noise is inference.
struct Noise {
  std::uint64_t key = 0;                     ///< f(seed, update, pass)
  std::span<const std::uint64_t> sentences;  ///< of each sentence: its index in the update's batch order

  [[nodiscard]] bool active() const { return !sentences.empty(); }
  /// A key for each token of a packed batch: f(key, sentence, position).
  [[nodiscard]] NoiseKeys row_keys(std::span<const Index> offset, Workspace& workspace) const;
};

/// y = x m / (1 - p), m_j = 1 with probability 1 - p (Srivastava et al. 2014, inverted scaling).
/// m_j = f(row key, place, j). backward is the same function on the gradient.
struct Dropout {
  Real p = 0;
  std::uint64_t place = 0;  ///< hash of the place's name, e.g. "encoder.embedding"

  /// In place; keys[i] belongs to row i; no keys: inference, nothing happens.
  void apply(Mat x, std::span<const std::uint64_t> keys) const;
  /// The same on the transpose: keys[i] belongs to column i of x; what lies beyond is used up.
  void apply_transposed(Mat x, std::span<const std::uint64_t> keys, Workspace& workspace) const;
};

}  // namespace DRAGOMAN_NAMESPACE
