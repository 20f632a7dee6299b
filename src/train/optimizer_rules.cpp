#include "train/optimizer_rules.h"

#include <cmath>

namespace DRAGOMAN_NAMESPACE {
namespace {

std::vector<std::string> sgd_moments(const OptimizerOptions& options) {
  return options.momentum > 0 ? std::vector<std::string>{"momentum"} : std::vector<std::string>{};
}

void sgd(const OptimizerRange& r) {
  const auto rate = static_cast<Real>(r.learning_rate);
  const auto momentum = static_cast<Real>(r.options.momentum);
  Real* const m = r.moments.empty() ? nullptr : r.moments[0];
  for (std::size_t i = r.begin; i < r.end; ++i) {
    Real step = r.scale * r.gradient[i];
    if (m != nullptr) step = m[i] = momentum * m[i] + step;
    r.values[i] -= rate * step;
  }
}

std::vector<std::string> adam_moments(const OptimizerOptions& /*options*/) { return {"first", "second"}; }

void adam(const OptimizerRange& r) {
  const auto b1 = static_cast<Real>(r.options.beta1);
  const auto b2 = static_cast<Real>(r.options.beta2);
  const auto rest1 = static_cast<Real>(1 - r.options.beta1);
  const auto rest2 = static_cast<Real>(1 - r.options.beta2);
  const auto epsilon = static_cast<Real>(r.options.epsilon);
  const auto step = static_cast<Real>(r.learning_rate / (1 - std::pow(r.options.beta1, r.update)));
  const auto root = static_cast<Real>(1 / std::sqrt(1 - std::pow(r.options.beta2, r.update)));
  const Real scale = r.scale;
  const Real* const gradient = r.gradient;
  Real *const m = r.moments[0], *const v = r.moments[1], *const values = r.values;
  for (std::size_t i = r.begin; i < r.end; ++i) {
    const Real g = scale * gradient[i];
    m[i] = b1 * m[i] + rest1 * g;
    v[i] = b2 * v[i] + rest2 * g * g;
    values[i] -= step * m[i] / (root * std::sqrt(v[i]) + epsilon);
  }
}

}  // namespace

const OptimizerRule kSgd = {.name = "sgd", .moments = sgd_moments, .apply = sgd, .reads_momentum = true};
const OptimizerRule kAdam = {
    .name = "adam", .moments = adam_moments, .apply = adam, .reads_betas = true, .reads_epsilon = true};
const OptimizerRule kAdamW = {.name = "adamw",
                              .moments = adam_moments,
                              .apply = adam,
                              .reads_betas = true,
                              .reads_epsilon = true,
                              .decays = true};

Table<OptimizerRule>& optimizer_rules() {
  static Table<OptimizerRule> table("optimizer", {&kSgd, &kAdam, &kAdamW});
  return table;
}

}  // namespace DRAGOMAN_NAMESPACE
