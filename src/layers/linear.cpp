#include "layers/linear.h"

#include "core/error.h"
#include "core/profile.h"
#include "kernels/rows.h"
#include "layers/product.h"

namespace DRAGOMAN_NAMESPACE {

Linear Linear::create(ParamStore& store, const std::string& name, Index in, Index out, const Init& init, bool bias) {
  Linear layer;
  layer.w = store.add(name + ".w", in, out, init);
  if (bias) layer.b = store.add_bias(name + ".b", out);
  return layer;
}

void Linear::forward(Values values, ConstMat x, Mat y) const {
  CHECK(x.cols == w.rows && y.cols == w.cols && x.rows == y.rows, "Linear: shapes");
  const Profile::Scope profile(Part::products);
  if (b.empty()) {
    multiply(values, x, w, y);
  } else {
    multiply(values, x, w, b, y);
  }
}

void Linear::forward_add(Values values, ConstMat x, Mat y) const {
  CHECK(x.cols == w.rows && y.cols == w.cols && x.rows == y.rows, "Linear: shapes");
  const Profile::Scope profile(Part::products);
  multiply(values, x, w, y, true);
}

void Linear::backward(Values values, ConstMat x, ConstMat dy, Mat dx, Grads grads, bool accumulate_dx) const {
  if (!dx.empty()) backward_input(values, dy, dx, accumulate_dx);
  backward_weights(x, dy, grads);
}

void Linear::backward_input(Values values, ConstMat dy, Mat dx, bool accumulate) const {
  CHECK(dy.cols == w.cols && dx.cols == w.rows && dy.rows == dx.rows, "Linear: shapes");
  const Profile::Scope profile(Part::products);
  multiply_transposed(values, dy, w, dx, accumulate);
}

void Linear::backward_weights(ConstMat x, ConstMat dy, Grads grads) const {
  CHECK(x.cols == w.rows && dy.cols == w.cols && x.rows == dy.rows, "Linear: shapes");
  const Profile::Scope profile(Part::products);
  add_weight_gradient(x, dy, w, grads);
  if (!b.empty()) add_column_sums(dy, b.in(grads));
}

}  // namespace DRAGOMAN_NAMESPACE
