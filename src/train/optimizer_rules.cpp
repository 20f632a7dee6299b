#include "train/optimizer_rules.h"

#include <cmath>

#include "core/view.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

using Block = Eigen::Array<Real, kOptimizerBlock, 1>;

Eigen::Map<Block> block(Real* numbers) { return Eigen::Map<Block>(numbers); }
Eigen::Map<const Block> block(const Real* numbers) { return Eigen::Map<const Block>(numbers); }

std::vector<std::string> sgd_moments(const OptimizerOptions& options) {
  return options.momentum > 0 ? std::vector<std::string>{"momentum"} : std::vector<std::string>{};
}

void sgd(const OptimizerRange& r) {
  const auto rate = static_cast<Real>(r.learning_rate);
  const auto momentum = static_cast<Real>(r.options.momentum);
  for (std::size_t i = r.begin; i < r.end; i += kOptimizerBlock) {
    Block step = r.scale * block(r.gradient + i);
    if (!r.moments.empty()) step = block(r.moments[0] + i) = momentum * block(r.moments[0] + i) + step;
    block(r.values + i) -= rate * step;
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
  for (std::size_t i = r.begin; i < r.end; i += kOptimizerBlock) {
    const Block g = r.scale * block(r.gradient + i);
    const Block m = block(r.moments[0] + i) = rest1 * g + b1 * block(r.moments[0] + i);
    const Block v = block(r.moments[1] + i) = rest2 * g * g + b2 * block(r.moments[1] + i);
    block(r.values + i) -= step * m / (root * v.sqrt() + epsilon);
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
