#include "layers/dropout.h"

#include <algorithm>

#include "core/error.h"
#include "core/profile.h"
#include "core/rng.h"
#include "kernels/dropout_mask.h"

namespace DRAGOMAN_NAMESPACE {

NoiseKeys Noise::row_keys(std::span<const Index> offset, Workspace& workspace) const {
  if (!active()) return {};
  const std::span<std::uint64_t> keys = workspace.array<std::uint64_t>(offset.back());
  for (std::size_t i = 0; i + 1 < offset.size(); ++i) {
    for (Index row = offset[i]; row < offset[i + 1]; ++row) {
      keys[row] = hash_key({key, sentences[i], static_cast<std::uint64_t>(row - offset[i])});
    }
  }
  return keys;
}

namespace {
std::uint32_t threshold_of(Real p) {
  CHECK(p < 1, "Dropout: p");
  return static_cast<std::uint32_t>(static_cast<double>(p) * 0x1.0p32);
}
}  // namespace

void Dropout::apply(Mat x, std::span<const std::uint64_t> keys) const {
  if (p == 0 || keys.empty()) return;
  const Profile::Scope profile(Part::pointwise);
  CHECK(static_cast<Index>(keys.size()) == x.rows, "Dropout: one key a row");
  for (Index i = 0; i < x.rows; ++i) mask_row(x.row(i), x.cols, mix64(keys[i] ^ place), threshold_of(p), 1 / (1 - p));
}

void Dropout::apply_transposed(Mat x, std::span<const std::uint64_t> keys, Workspace& workspace) const {
  if (p == 0 || keys.empty()) return;
  const auto n = static_cast<Index>(keys.size());
  CHECK(n <= x.cols, "Dropout: one key a column");
  const Workspace::Scope scope(workspace);
  // For all columns, so that the loops over them have no rest.
  const std::span<std::uint32_t> low = workspace.array<std::uint32_t>(x.cols);
  const std::span<std::uint32_t> high = workspace.array<std::uint32_t>(x.cols);
  for (Index i = 0; i < x.cols; ++i) {
    const std::uint64_t key = mix64(keys[std::min(i, n - 1)] ^ place);
    low[i] = static_cast<std::uint32_t>(key);
    high[i] = static_cast<std::uint32_t>(key >> 32);
  }
  for (Index j = 0; j < x.rows; ++j) {
    mask_column(x.row(j), x.cols, j, low.data(), high.data(), threshold_of(p), 1 / (1 - p));
  }
}

}  // namespace DRAGOMAN_NAMESPACE
