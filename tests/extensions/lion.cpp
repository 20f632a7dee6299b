// Lion (Chen et al. 2023):  x -= lr sign(b1 m + (1 - b1) g);  m = b2 m + (1 - b2) g;  weight decay as in AdamW.
#include "extensions/extensions.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

std::vector<std::string> moments(const OptimizerOptions& /*options*/) { return {"momentum"}; }

void apply(const OptimizerRange& r) {
  const auto b1 = static_cast<Real>(r.options.beta1);
  const auto b2 = static_cast<Real>(r.options.beta2);
  const auto rate = static_cast<Real>(r.learning_rate);
  Real* m = r.moments[0];
  for (std::size_t i = r.begin; i < r.end; ++i) {
    const Real g = r.scale * r.gradient[i];
    const Real direction = b1 * m[i] + (1 - b1) * g;
    r.values[i] -= direction > 0 ? rate : direction < 0 ? -rate : Real(0);
    m[i] = b2 * m[i] + (1 - b2) * g;
  }
}

}  // namespace

const OptimizerRule kLion = {.name = "lion", .moments = moments, .apply = apply, .reads_betas = true, .decays = true};

}  // namespace DRAGOMAN_NAMESPACE
