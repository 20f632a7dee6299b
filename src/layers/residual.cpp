#include "layers/residual.h"

#include "core/profile.h"
#include "core/rng.h"
#include "kernels/rows.h"

namespace DRAGOMAN_NAMESPACE {

Residual Residual::create(ParamStore& store, const std::string& name, Index size, bool pre, Real dropout) {
  return {LayerNorm::create(store, name + ".norm", size), {dropout, hash_name(name + ".residual")}, pre};
}

ConstMat Residual::before(Values values, ConstMat x, Workspace& workspace, Saved& saved) const {
  return pre ? norm.forward(values, x, workspace, saved.norm) : x;
}

Mat Residual::after(Values values, ConstMat x, Mat fx, std::span<const std::uint64_t> keys, Workspace& workspace,
                    Saved& saved) const {
  const Profile::Scope profile(Part::pointwise);
  dropout.apply(fx, keys);
  add(x, fx);
  return pre ? fx : norm.forward(values, fx, workspace, saved.norm);
}

void Residual::after_backward(Values values, const Saved& saved, ConstMat dy, std::span<const std::uint64_t> keys,
                              Mat dx, Mat dfx, Grads grads) const {
  const Profile::Scope profile(Part::pointwise);
  if (pre) {
    copy(dy, dx);
  } else {
    norm.backward(values, saved.norm, dy, dx, grads);
  }
  copy(dx, dfx);
  dropout.apply(dfx, keys);
}

void Residual::before_backward(Values values, const Saved& saved, Mat dbefore, Mat dx, Grads grads) const {
  const Profile::Scope profile(Part::pointwise);
  if (pre) norm.backward(values, saved.norm, dbefore, dbefore, grads);
  add(dbefore, dx);
}

}  // namespace DRAGOMAN_NAMESPACE
