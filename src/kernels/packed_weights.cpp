#include "kernels/packed_weights.h"

#include <algorithm>

#include "core/parallel.h"
#include "core/profile.h"
#include "kernels/gemm_tile.h"

namespace DRAGOMAN_NAMESPACE {

PackedWeights::PackedWeights(const ParamStore& store, bool backward) {
  std::size_t used = 0;
  const auto take = [&](Index rows, Index cols) {
    const std::size_t begin = used;
    used += static_cast<std::size_t>(packed_size(rows, cols));
    return begin;
  };
  for (const Param& p : store.params()) {
    if (p.use == ParamUse::other) continue;
    const ParamRef& w = p.ref;
    Entry entry{w, kNone, kNone};
    const bool output = p.use == ParamUse::tied_output;  // y = r E^T, dr = dy E
    if (backward || !output) entry.forward = take(w.rows, w.cols);
    if (backward || output) entry.transposed = take(w.cols, w.rows);
    entries_.push_back(entry);
  }
  numbers_.resize(used);
}

void PackedWeights::repack(Values values) {
  parallel_for(2 * static_cast<Index>(entries_.size()), [&](Index i, int /*worker*/) {
    const Profile::Scope profile(Part::optimizer);
    const Entry& entry = entries_[static_cast<std::size_t>(i / 2)];
    const ConstMat w = entry.whole.in(values);
    if (i % 2 == 0 && entry.forward != kNone) pack(w, numbers_.data() + entry.forward);
    if (i % 2 == 1 && entry.transposed != kNone) pack_transposed(w, numbers_.data() + entry.transposed);
  });
}

const PackedWeights::Entry* PackedWeights::find(const ParamRef& w) const {
  const auto after = std::upper_bound(entries_.begin(), entries_.end(), w.offset,
                                      [](std::size_t offset, const Entry& e) { return offset < e.whole.offset; });
  if (after == entries_.begin()) return nullptr;
  const Entry& entry = *std::prev(after);
  const ParamRef& whole = entry.whole;
  const bool inside = w.offset - whole.offset + static_cast<std::size_t>(w.rows * w.cols) <=
                      static_cast<std::size_t>(whole.rows * whole.cols);
  return inside && w.cols == whole.cols ? &entry : nullptr;
}

PackedMat PackedWeights::forward(const ParamRef& w) const {
  const Entry* entry = find(w);
  if (entry == nullptr || entry->forward == kNone) return {};
  const Index first = static_cast<Index>(w.offset - entry->whole.offset) / w.cols;
  return {numbers_.data() + entry->forward + first * kTileCols, w.rows, w.cols, entry->whole.rows * kTileCols};
}

PackedMat PackedWeights::transposed(const ParamRef& w) const {
  const Entry* entry = find(w);
  if (entry == nullptr || entry->transposed == kNone) return {};
  const Index first = static_cast<Index>(w.offset - entry->whole.offset) / w.cols;
  if (first % kTileCols != 0) return {};  // rows that begin inside a panel
  return {numbers_.data() + entry->transposed + first * w.cols, w.cols, w.rows, w.cols * kTileCols};
}

}  // namespace DRAGOMAN_NAMESPACE
