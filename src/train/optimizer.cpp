#include "train/optimizer.h"

#include <algorithm>

#include "core/error.h"
#include "core/parallel.h"
#include "core/profile.h"
#include "kernels/finite.h"

namespace DRAGOMAN_NAMESPACE {

Optimizer::Optimizer(const OptimizerOptions& options, const ParamStore& store, double ema)
    : options_(options), rule_(optimizer_rules().at(options.type)), ema_(ema), size_(store.size()) {
  CHECK(size_ % kOptimizerBlock == 0, "Optimizer: parameters are no whole blocks");
  for (const std::string& name : rule_.moments(options)) buffers_.push_back({name, std::vector<Real>(size_)});
  moments_ = buffers_.size();
  if (ema_ > 0) buffers_.push_back({"ema", std::vector<Real>(size_)});
  if (!rule_.decays) return;
  decays_.resize(size_ / kOptimizerBlock);
  for (const Param& p : store.params()) {
    const auto count = static_cast<std::size_t>(p.ref.rows * p.ref.cols);
    for (std::size_t i = p.ref.offset; i < p.ref.offset + count; i += kOptimizerBlock) {
      decays_[i / kOptimizerBlock] = p.decay;
    }
  }
}

void Optimizer::decay_range(std::size_t begin, std::size_t end, double learning_rate, Real* values) const {
  const auto keep = static_cast<Real>(1 - learning_rate * options_.weight_decay);
  for (std::size_t i = begin; i < end; i += kOptimizerBlock) {
    if (!decays_[i / kOptimizerBlock]) continue;
    for (std::size_t j = i; j < i + kOptimizerBlock; ++j) values[j] *= keep;
  }
}

bool Optimizer::apply(std::int64_t update, double learning_rate, const Real* gradient, double scale, Real* values) {
  const auto u = static_cast<double>(update);
  const auto share = static_cast<Real>(1 - std::min(ema_, (u - 1) / (u + 8)));
  const auto ranges = static_cast<Index>((size_ + kRange - 1) / kRange);
  std::vector<char> finite(static_cast<std::size_t>(ranges));
  std::vector<Real*> moments;
  for (std::size_t m = 0; m < moments_; ++m) moments.push_back(buffers_[m].numbers.data());
  parallel_for(ranges, [&](Index r, int /*worker*/) {
    const Profile::Scope profile(Part::optimizer);
    const std::size_t begin = static_cast<std::size_t>(r) * kRange;
    const std::size_t end = std::min(begin + kRange, size_);
    if (rule_.decays) decay_range(begin, end, learning_rate, values);
    rule_.apply({.options = options_,
                 .update = u,
                 .learning_rate = learning_rate,
                 .scale = static_cast<Real>(scale),
                 .gradient = gradient,
                 .values = values,
                 .moments = moments,
                 .begin = begin,
                 .end = end});
    if (std::vector<Real>* average = this->average()) {
      for (std::size_t i = begin; i < end; ++i) (*average)[i] += share * (values[i] - (*average)[i]);
    }
    finite[r] = all_finite(values + begin, end - begin);
  });
  return std::all_of(finite.begin(), finite.end(), [](char good) { return good != 0; });
}

}  // namespace DRAGOMAN_NAMESPACE
