#include "layers/dropout.h"

#include "core/error.h"
#include "core/profile.h"
#include "core/rng.h"
#include "kernels/dropout_mask.h"

namespace DRAGOMAN_NAMESPACE {

std::span<const std::uint64_t> Noise::row_keys(std::span<const Index> offset, Workspace& workspace) const {
  if (!active()) return {};
  const std::span<std::uint64_t> keys = workspace.array<std::uint64_t>(offset.back());
  for (std::size_t i = 0; i + 1 < offset.size(); ++i) {
    for (Index row = offset[i]; row < offset[i + 1]; ++row) {
      keys[row] = hash_key({key, sentences[i], static_cast<std::uint64_t>(row - offset[i])});
    }
  }
  return keys;
}

void Dropout::apply(Mat x, std::span<const std::uint64_t> keys) const {
  if (p == 0 || keys.empty()) return;
  const Profile::Scope profile(Part::pointwise);
  CHECK(static_cast<Index>(keys.size()) == x.rows, "Dropout: one key a row");
  const auto threshold = static_cast<std::uint32_t>(static_cast<double>(p) * 0x1.0p32);
  for (Index i = 0; i < x.rows; ++i) mask_row(x.row(i), x.cols, mix64(keys[i] ^ place), threshold, 1 / (1 - p));
}

}  // namespace DRAGOMAN_NAMESPACE
