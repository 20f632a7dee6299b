// Matrices in the order in which the products read them.
#pragma once

#include "core/mat.h"

namespace DRAGOMAN_NAMESPACE {

/// b [rows, cols] in panels of as many columns as a tile has (the last padded with zeros): panel j begins at
/// data + j * stride and holds row after row.
template <class Element>
struct Packed {
  const Element* data = nullptr;
  Index rows = 0, cols = 0;
  Index stride = 0;

  [[nodiscard]] bool empty() const { return data == nullptr; }
};
using PackedMat = Packed<Real>;

/// cols rounded up to whole tiles.
Index padded_cols(Index cols);

/// Numbers that the packed form of rows x cols takes.
Index packed_size(Index rows, Index cols);

/// Packs b; `to` has room for packed_size(b.rows, b.cols).
PackedMat pack(ConstMat b, Real* to);
/// Packs b^T; `to` has room for packed_size(b.cols, b.rows).
PackedMat pack_transposed(ConstMat b, Real* to);

}  // namespace DRAGOMAN_NAMESPACE
