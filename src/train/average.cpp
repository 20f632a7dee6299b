#include "train/average.h"

#include "core/error.h"
#include "train/model_file.h"

namespace DRAGOMAN_NAMESPACE {

void WeightMean::add(const Real* values) {
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += static_cast<double>(values[i]);
  ++count_;
}

void WeightMean::add_file(const std::string& path) {
  std::vector<Real> values(store_.size());
  load_tensors(path, store_, {""}, {values.data()});
  add(values.data());
}

std::vector<Real> WeightMean::mean() const {
  CHECK(count_ > 0, "WeightMean: nothing to average");
  std::vector<Real> mean(sums_.size());
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = static_cast<Real>(sums_[i] / count_);
  return mean;
}

}  // namespace DRAGOMAN_NAMESPACE
