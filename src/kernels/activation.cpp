#include "kernels/activation.h"

#include <array>
#include <numbers>

#include "core/error.h"
#include "kernels/vector_math.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

struct Relu {
  static Real value(Real x) { return x < 0 ? 0 : x; }  // NaN stays NaN
  static Real derivative(Real x) { return x > 0 ? 1 : 0; }
};

struct Gelu {
  static Real normal_cdf(Real x) { return (1 + erf_of(x * std::numbers::sqrt2_v<Real> / 2)) / 2; }  // P(Z <= x)
  static Real value(Real x) { return x * normal_cdf(x); }
  static Real derivative(Real x) {
    const Real density = std::numbers::inv_sqrtpi_v<Real> / std::numbers::sqrt2_v<Real> * exp_of(-x * x / 2);
    return normal_cdf(x) + x * density;
  }
};

struct Swish {
  static Real value(Real x) { return x * sigmoid_of(x); }
  static Real derivative(Real x) {
    const Real s = sigmoid_of(x);
    return s + x * s * (1 - s);
  }
};

template <class F>
void forward(ConstMat x, Mat y) {
  for (Index i = 0; i < x.rows; ++i) {
    const Real* from = x.row(i);
    Real* to = y.row(i);
    vector_loop(x.cols, [=](Index j) { to[j] = F::value(from[j]); });
  }
}

template <class F>
void backward(ConstMat x, ConstMat dy, Mat dx) {
  for (Index i = 0; i < x.rows; ++i) {
    const Real* from = x.row(i);
    const Real* d = dy.row(i);
    Real* to = dx.row(i);
    vector_loop(x.cols, [=](Index j) { to[j] = d[j] * F::derivative(from[j]); });
  }
}

constexpr std::array<Activation, 3> kTable = {{{"relu", forward<Relu>, backward<Relu>},
                                               {"gelu", forward<Gelu>, backward<Gelu>},
                                               {"swish", forward<Swish>, backward<Swish>}}};

}  // namespace

std::span<const Activation> activations() { return kTable; }

const Activation& activation_by_name(const std::string& name) {
  for (const Activation& activation : kTable) {
    if (name == activation.name) return activation;
  }
  CHECK(false, "unknown activation " + name);
  return kTable[0];
}

}  // namespace DRAGOMAN_NAMESPACE
