#include "layers/positional.h"

#include <cmath>

#include "core/error.h"
#include "kernels/vector_math.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr Index kReady = 512;  // positions

Real sinusoid(Index position, Index column, Index size) {
  const double exponent = static_cast<double>(column - column % 2) / static_cast<double>(size);
  const double angle = static_cast<double>(position) / std::pow(10000.0, exponent);
  return static_cast<Real>(column % 2 == 0 ? std::sin(angle) : std::cos(angle));
}

}  // namespace

Positions::Positions(ParamStore& store, const std::string& name, const std::string& kind, Index size,
                     Index max_positions, const Init& init)
    : size_(size) {
  CHECK(kind == "none" || kind == "sinusoidal" || kind == "learned", "unknown kind of positions " + kind);
  if (kind == "learned") table_ = store.add(name, max_positions, size, init, ParamUse::other);
  if (kind != "sinusoidal") return;
  sinusoids_.resize(static_cast<std::size_t>(kReady * size));
  for (Index t = 0; t < kReady; ++t) {
    for (Index j = 0; j < size; ++j) sinusoids_[t * size + j] = sinusoid(t, j, size);
  }
}

void Positions::add(Values values, std::span<const Index> offset, Index first, Mat x) const {
  CHECK(x.cols == size_ && x.rows == offset.back(), "Positions: shapes");
  const ConstMat learned = table_.in(values);
  for (std::size_t i = 0; i + 1 < offset.size(); ++i) {
    for (Index row = offset[i]; row < offset[i + 1]; ++row) {
      const Index t = first + row - offset[i];
      Real* to = x.row(row);
      if (!table_.empty()) {
        CHECK(t < learned.rows, "Positions: beyond max_positions");
        add_scaled(1, learned.row(t), to, x.cols);
      } else if (!sinusoids_.empty() && t < kReady) {
        add_scaled(1, sinusoids_.data() + t * x.cols, to, x.cols);
      } else if (!sinusoids_.empty()) {
        for (Index j = 0; j < x.cols; ++j) to[j] += sinusoid(t, j, x.cols);
      }
    }
  }
}

void Positions::backward(std::span<const Index> offset, ConstMat dx, Grads grads) const {
  if (table_.empty()) return;
  const Mat dtable = table_.in(grads);
  for (std::size_t i = 0; i + 1 < offset.size(); ++i) {
    for (Index row = offset[i]; row < offset[i + 1]; ++row) {
      add_scaled(1, dx.row(row), dtable.row(row - offset[i]), dx.cols);
    }
  }
}

}  // namespace DRAGOMAN_NAMESPACE
