// Packed copies of weight matrices, so that a product finds its weights in the order it reads them.
#pragma once

#include <vector>

#include "core/params.h"
#include "kernels/packed.h"

namespace DRAGOMAN_NAMESPACE {

/// Made once an update (or once before decoding) instead of in every product: the time loop of a recurrent layer
/// would pack its weights at each step, every shard those of all layers. Values that point to it (Values::packed) must
/// be the ones it was made from; without it, products pack for themselves and give the same bits.
///
/// Memory: 4 bytes x parameters of products for each direction.
class PackedWeights {
 public:
  /// `backward`: with the transposed matrices, which only gradients of inputs read (and a tied output layer).
  PackedWeights(const ParamStore& store, bool backward);

  /// Copies the values again, on all threads.
  void repack(Values values);

  /// The matrix (or a range of its rows) for x W; empty: there is no copy.
  [[nodiscard]] PackedMat forward(const ParamRef& w) const;
  /// Its transpose, for dy W^T.
  [[nodiscard]] PackedMat transposed(const ParamRef& w) const;

  [[nodiscard]] std::size_t bytes() const { return numbers_.size() * sizeof(Real); }

 private:
  struct Entry {
    ParamRef whole;
    std::size_t forward = 0, transposed = 0;  ///< places in numbers_, kNone: no copy
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  [[nodiscard]] const Entry* find(const ParamRef& w) const;

  std::vector<Entry> entries_;  ///< by offset
  std::vector<Real> numbers_;
};

}  // namespace DRAGOMAN_NAMESPACE
