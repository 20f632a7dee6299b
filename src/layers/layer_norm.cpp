#include "layers/layer_norm.h"

#include "core/error.h"
#include "core/profile.h"
#include "kernels/layer_norm.h"

namespace DRAGOMAN_NAMESPACE {

LayerNorm LayerNorm::create(ParamStore& store, const std::string& name, Index size) {
  return {store.add_bias(name + ".gain", size, {Init::Kind::constant, 1}), store.add_bias(name + ".bias", size)};
}

Mat LayerNorm::forward(Values values, ConstMat x, Workspace& workspace, Saved& saved) const {
  const Profile::Scope profile(Part::pointwise);
  CHECK(x.cols == gain.cols, "LayerNorm: shapes");
  saved.normalized = workspace.mat(x.rows, x.cols);
  saved.inverse_deviation = workspace.array<Real>(x.rows);
  const Mat y = workspace.mat(x.rows, x.cols);
  layer_norm(x, gain.in(values).data, bias.in(values).data, saved.normalized, saved.inverse_deviation.data(), y);
  return y;
}

void LayerNorm::backward(Values values, const Saved& saved, ConstMat dy, Mat dx, Grads grads) const {
  const Profile::Scope profile(Part::pointwise);
  CHECK(dy.cols == gain.cols && dy.rows == saved.normalized.rows, "LayerNorm: shapes");
  layer_norm_backward(saved.normalized, saved.inverse_deviation.data(), gain.in(values).data, dy, dx,
                      gain.in(grads).data, bias.in(grads).data);
}

}  // namespace DRAGOMAN_NAMESPACE
