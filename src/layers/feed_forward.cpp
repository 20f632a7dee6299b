#include "layers/feed_forward.h"

#include "core/profile.h"
#include "core/rng.h"

namespace DRAGOMAN_NAMESPACE {

FeedForward FeedForward::create(ParamStore& store, const std::string& name, Index size, Index inner,
                                const Activation& activation, Real dropout, const Init& init) {
  return {Linear::create(store, name + ".first", size, inner, init),
          Linear::create(store, name + ".second", inner, size, init),
          &activation,
          {dropout, hash_name(name)}};
}

Mat FeedForward::forward(Values values, ConstMat x, std::span<const std::uint64_t> keys, Workspace& workspace,
                         Saved& saved) const {
  saved.x = x;
  saved.before = workspace.mat(x.rows, first.w.cols);
  saved.after = workspace.mat(x.rows, first.w.cols);
  const Mat y = workspace.mat(x.rows, second.w.cols);
  first.forward(values, x, saved.before);
  {
    const Profile::Scope profile(Part::pointwise);
    activation->forward(saved.before, saved.after);
    dropout.apply(saved.after, keys);
  }
  second.forward(values, saved.after, y);
  return y;
}

void FeedForward::backward(Values values, const Saved& saved, ConstMat dy, std::span<const std::uint64_t> keys, Mat dx,
                           Grads grads, Workspace& workspace) const {
  const Workspace::Scope scope(workspace);
  const Mat dinner = workspace.mat(dy.rows, first.w.cols);
  second.backward(values, saved.after, dy, dinner, grads);
  {
    const Profile::Scope profile(Part::pointwise);
    dropout.apply(dinner, keys);
    activation->backward(saved.before, dinner, dinner);
  }
  first.backward(values, saved.x, dinner, dx, grads);
}

}  // namespace DRAGOMAN_NAMESPACE
