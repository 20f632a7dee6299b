#include "recurrent/time_major.h"

#include <algorithm>

#include "core/error.h"

namespace DRAGOMAN_NAMESPACE {

TimeMajor TimeMajor::create(std::span<const Index> offset, Workspace& workspace) {
  const Index sentences = static_cast<Index>(offset.size()) - 1;
  CHECK(sentences > 0, "TimeMajor: no sentences");
  const auto length = [&](Index i) { return offset[i + 1] - offset[i]; };
  const std::span<Index> order = workspace.array<Index>(sentences);
  for (Index i = 0; i < sentences; ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return length(a) != length(b) ? length(a) > length(b) : a < b; });
  CHECK(length(order.back()) > 0, "TimeMajor: empty sentence");
  const Index steps = length(order.front());
  const std::span<Index> start = workspace.array<Index>(steps + 1);
  Index alive = sentences;
  start[0] = 0;
  for (Index t = 0; t < steps; ++t) {
    while (length(order[alive - 1]) <= t) --alive;
    start[t + 1] = start[t] + alive;
  }
  return {offset, order, start};
}

std::span<const Index> TimeMajor::batch_rows(bool reversed, Workspace& workspace) const {
  const std::span<Index> result = workspace.array<Index>(rows());
  for (Index t = 0; t < steps(); ++t) {
    for (Index i = 0; i < alive(t); ++i) {
      const Index sentence = order[i];
      result[start[t] + i] = reversed ? offset[sentence + 1] - 1 - t : offset[sentence] + t;
    }
  }
  return result;
}

}  // namespace DRAGOMAN_NAMESPACE
