#include "kernels/packed_weights.h"

#include <algorithm>
#include <type_traits>

#include "core/error.h"
#include "core/parallel.h"
#include "core/profile.h"
#include "kernels/gemm_bf16.h"
#include "kernels/gemm_tile.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

/// Elements for so many rows of a matrix: a Pair is made of two.
template <class Element>
Index elements_in(Index rows) {
  return std::is_same_v<Element, Pair> ? (rows + 1) / 2 : rows;
}

}  // namespace

template <>
const Real* PackedWeights::elements() const {
  CHECK(numbers_.size() == size_, "PackedWeights: not packed, or in another precision");
  return numbers_.data();
}
template <>
const Pair* PackedWeights::elements() const {
  CHECK(pairs_.size() == size_, "PackedWeights: not packed, or in another precision");
  return pairs_.data();
}

PackedWeights::PackedWeights(const ParamStore& store, bool backward, Precision precision) : precision_(precision) {
  const bool pairs = precision == Precision::bfloat16;
  const auto take = [&](Index rows, Index cols) {
    const std::size_t begin = size_;
    size_ += static_cast<std::size_t>(pairs ? packed_pairs_size(rows, cols) : packed_size(rows, cols));
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
}

void PackedWeights::repack(Values values) {
  precision_ == Precision::bfloat16 ? pairs_.resize(size_) : numbers_.resize(size_);
  parallel_for(2 * static_cast<Index>(entries_.size()), [&](Index i, int /*worker*/) {
    const Profile::Scope profile(Part::optimizer);
    const Entry& entry = entries_[static_cast<std::size_t>(i / 2)];
    const ConstMat w = entry.whole.in(values);
    const std::size_t place = i % 2 == 0 ? entry.forward : entry.transposed;
    if (place == kNone) return;
    if (precision_ == Precision::bfloat16) {
      i % 2 == 0 ? pack_pairs(w, pairs_.data() + place) : pack_pairs_transposed(w, pairs_.data() + place);
    } else {
      i % 2 == 0 ? pack(w, numbers_.data() + place) : pack_transposed(w, numbers_.data() + place);
    }
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

template <class Element>
Packed<Element> PackedWeights::forward(const ParamRef& w) const {
  const Entry* entry = find(w);
  if (entry == nullptr || entry->forward == kNone) return {};
  const Index first = static_cast<Index>(w.offset - entry->whole.offset) / w.cols;
  if (std::is_same_v<Element, Pair> && first % 2 != 0) return {};  // a row that begins inside a pair
  return {elements<Element>() + entry->forward + elements_in<Element>(first) * kTileCols, elements_in<Element>(w.rows),
          w.cols, elements_in<Element>(entry->whole.rows) * kTileCols};
}

template <class Element>
Packed<Element> PackedWeights::transposed(const ParamRef& w) const {
  const Entry* entry = find(w);
  if (entry == nullptr || entry->transposed == kNone) return {};
  const Index first = static_cast<Index>(w.offset - entry->whole.offset) / w.cols;
  if (first % kTileCols != 0) return {};  // rows that begin inside a panel
  const Index k = elements_in<Element>(w.cols);
  return {elements<Element>() + entry->transposed + first * k, k, w.rows, k * kTileCols};
}

template Packed<Real> PackedWeights::forward(const ParamRef& w) const;
template Packed<Pair> PackedWeights::forward(const ParamRef& w) const;
template Packed<Real> PackedWeights::transposed(const ParamRef& w) const;
template Packed<Pair> PackedWeights::transposed(const ParamRef& w) const;

}  // namespace DRAGOMAN_NAMESPACE
