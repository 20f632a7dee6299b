// Packed copies of weight matrices, so that a product finds its weights in the order it reads them.
#pragma once

#include <vector>

#include "core/params.h"
#include "kernels/bfloat16.h"
#include "kernels/packed.h"

namespace DRAGOMAN_NAMESPACE {

/// Made once an update (or once before decoding) instead of in every product: the time loop of a recurrent layer
/// would pack its weights at each step, every shard those of all layers. Values that point to it (Values::packed) must
/// be the ones it was made from; without it, products pack for themselves and give the same bits. So they do where there
/// is no copy: a range of rows that begins inside a pair (bfloat16) or, transposed, inside a panel.
///
/// Memory: 4 bytes (bfloat16: 2) x parameters of products for each direction.
class PackedWeights {
 public:
  /// `backward`: with the transposed matrices, which only gradients of inputs read (and a tied output layer).
  PackedWeights(const ParamStore& store, bool backward, Precision precision = Precision::float32);

  /// Copies the values (again), on all threads. The first call takes the memory.
  void repack(Values values);

  /// The values with these copies.
  [[nodiscard]] Values with(Values values) const { return {values.base, this, precision_}; }

  /// The matrix (or a range of its rows) for x W; empty: there is no copy. Element: Real, or Pair for bfloat16.
  template <class Element = Real>
  [[nodiscard]] Packed<Element> forward(const ParamRef& w) const;
  /// Its transpose, for dy W^T.
  template <class Element = Real>
  [[nodiscard]] Packed<Element> transposed(const ParamRef& w) const;

  [[nodiscard]] std::size_t bytes() const {
    return size_ * (precision_ == Precision::bfloat16 ? sizeof(Pair) : sizeof(Real));
  }

 private:
  struct Entry {
    ParamRef whole;
    std::size_t forward = 0, transposed = 0;  ///< places in numbers_ or pairs_, kNone: no copy
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  [[nodiscard]] const Entry* find(const ParamRef& w) const;
  template <class Element>
  [[nodiscard]] const Element* elements() const;

  Precision precision_;
  std::size_t size_ = 0;        ///< elements
  std::vector<Entry> entries_;  ///< by offset
  std::vector<Real> numbers_;   ///< float32
  std::vector<Pair> pairs_;     ///< bfloat16
};

}  // namespace DRAGOMAN_NAMESPACE
