// The time-major packed layout of recurrent layers.
//
// Sentences are sorted by falling length; the rows of step t are those of the sentences that are still alive,
// the first alive(t) of the order. So a step is one contiguous block, nothing is padded, and h of step t - 1 for
// the rows of step t are its first alive(t) rows.
#pragma once

#include <span>

#include "core/workspace.h"

namespace DRAGOMAN_NAMESPACE {

struct TimeMajor {
  std::span<const Index> offset;  ///< of the batch-order layout: sentence i is rows offset[i] .. offset[i + 1]
  std::span<const Index> order;   ///< sentences by falling length (ties by index)
  std::span<const Index> start;   ///< first row of each step, and the total at the end

  [[nodiscard]] Index steps() const { return static_cast<Index>(start.size()) - 1; }
  [[nodiscard]] Index rows() const { return start.back(); }
  [[nodiscard]] Index sentences() const { return static_cast<Index>(order.size()); }
  [[nodiscard]] Index alive(Index t) const { return start[t + 1] - start[t]; }

  static TimeMajor create(std::span<const Index> offset, Workspace& workspace);

  /// For every time-major row its row in batch order; reversed: step t is position length - 1 - t.
  [[nodiscard]] std::span<const Index> batch_rows(bool reversed, Workspace& workspace) const;
};

}  // namespace DRAGOMAN_NAMESPACE
