#include "train/optimizer.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/profile.h"
#include "kernels/finite.h"

namespace DRAGOMAN_NAMESPACE {
namespace {
constexpr std::size_t kBlock = 16;
}  // namespace

Optimizer::Optimizer(const OptimizerOptions& options, const ParamStore& store, double ema)
    : options_(options), ema_(ema), size_(store.size()) {
  if (options.type == "sgd") {
    if (options.momentum > 0) moments.push_back({"momentum", std::vector<Real>(size_)});
  } else {
    moments.push_back({"first", std::vector<Real>(size_)});
    moments.push_back({"second", std::vector<Real>(size_)});
  }
  if (ema_ > 0) moments.push_back({"ema", std::vector<Real>(size_)});
  if (options.type == "adamw") {
    decays_.resize(size_ / kBlock);
    for (const Param& p : store.params()) {
      const auto count = static_cast<std::size_t>(p.ref.rows * p.ref.cols);
      for (std::size_t b = p.ref.offset / kBlock; b * kBlock < p.ref.offset + count; ++b) decays_[b] = p.decay;
    }
  }
}

void Optimizer::apply_range(std::size_t begin, std::size_t end, std::int64_t update, double learning_rate,
                            const Real* gradient, double scale, Real* values) {
  const auto g_scale = static_cast<Real>(scale);
  const auto rate = static_cast<Real>(learning_rate);
  if (options_.type == "sgd") {
    const auto momentum = static_cast<Real>(options_.momentum);
    for (std::size_t i = begin; i < end; ++i) {
      Real step = g_scale * gradient[i];
      if (options_.momentum > 0) step = moments[0].numbers[i] = momentum * moments[0].numbers[i] + step;
      values[i] -= rate * step;
    }
    return;
  }
  if (!decays_.empty()) {
    const auto keep = static_cast<Real>(1 - learning_rate * options_.weight_decay);
    for (std::size_t b = begin / kBlock; b < end / kBlock; ++b) {
      if (!decays_[b]) continue;
      for (std::size_t i = b * kBlock; i < (b + 1) * kBlock; ++i) values[i] *= keep;
    }
  }
  const auto b1 = static_cast<Real>(options_.beta1);
  const auto b2 = static_cast<Real>(options_.beta2);
  const auto rest1 = static_cast<Real>(1 - options_.beta1);
  const auto rest2 = static_cast<Real>(1 - options_.beta2);
  const auto epsilon = static_cast<Real>(options_.epsilon);
  const auto u = static_cast<double>(update);
  const auto step = static_cast<Real>(learning_rate / (1 - std::pow(options_.beta1, u)));
  const auto root = static_cast<Real>(1 / std::sqrt(1 - std::pow(options_.beta2, u)));
  Real* m = moments[0].numbers.data();
  Real* v = moments[1].numbers.data();
  for (std::size_t i = begin; i < end; ++i) {
    const Real g = g_scale * gradient[i];
    m[i] = b1 * m[i] + rest1 * g;
    v[i] = b2 * v[i] + rest2 * g * g;
    values[i] -= step * m[i] / (root * std::sqrt(v[i]) + epsilon);
  }
}

void Optimizer::average_range(std::size_t begin, std::size_t end, std::int64_t update, const Real* values) {
  const auto u = static_cast<double>(update);
  const auto share = static_cast<Real>(1 - std::min(ema_, (u - 1) / (u + 8)));
  Real* average = moments.back().numbers.data();
  for (std::size_t i = begin; i < end; ++i) average[i] += share * (values[i] - average[i]);
}

bool Optimizer::apply(std::int64_t update, double learning_rate, const Real* gradient, double scale, Real* values) {
  const auto ranges = static_cast<Index>((size_ + kRange - 1) / kRange);
  std::vector<char> finite(static_cast<std::size_t>(ranges));
  parallel_for(ranges, [&](Index r, int /*worker*/) {
    const Profile::Scope profile(Part::optimizer);
    const std::size_t begin = static_cast<std::size_t>(r) * kRange;
    const std::size_t end = std::min(begin + kRange, size_);
    apply_range(begin, end, update, learning_rate, gradient, scale, values);
    if (ema_ > 0) average_range(begin, end, update, values);
    finite[r] = all_finite(values + begin, end - begin);
  });
  return std::all_of(finite.begin(), finite.end(), [](char good) { return good != 0; });
}

}  // namespace DRAGOMAN_NAMESPACE
