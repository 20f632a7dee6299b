#include "layers/embedding.h"

#include "core/error.h"
#include "core/profile.h"
#include "kernels/vector_math.h"

namespace DRAGOMAN_NAMESPACE {

void Embedding::forward(Values values, std::span<const TokenId> ids, Mat y) const {
  const Profile::Scope profile(Part::pointwise);
  const ConstMat e = table.in(values);
  CHECK(static_cast<Index>(ids.size()) == y.rows && y.cols == e.cols, "Embedding: shapes");
  for (Index i = 0; i < y.rows; ++i) {
    CHECK(ids[i] >= 0 && ids[i] < e.rows, "Embedding: token id");
    const Real* from = e.row(ids[i]);
    Real* to = y.row(i);
    for (Index j = 0; j < y.cols; ++j) to[j] = scale * from[j];
  }
}

void Embedding::backward(std::span<const TokenId> ids, ConstMat dy, Grads grads) const {
  const Profile::Scope profile(Part::pointwise);
  const Mat de = table.in(grads);
  for (Index i = 0; i < dy.rows; ++i) add_scaled(scale, dy.row(i), de.row(ids[i]), dy.cols);
}

}  // namespace DRAGOMAN_NAMESPACE
