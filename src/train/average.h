// The mean of several checkpoints' weights (Vaswani et al. 2017, section 6.1).
#pragma once

#include <string>
#include <vector>

#include "core/params.h"

namespace DRAGOMAN_NAMESPACE {

/// Sums in double, in the order of the calls, so that the mean is the same every time.
class WeightMean {
 public:
  explicit WeightMean(const ParamStore& store) : store_(store), sums_(store.size()) {}

  void add(const Real* values);
  /// A model.safetensors. UserError: damaged, or of another model.
  void add_file(const std::string& path);
  /// The mean of what was added (CHECK: something was).
  [[nodiscard]] std::vector<Real> mean() const;

 private:
  const ParamStore& store_;
  std::vector<double> sums_;
  int count_ = 0;
};

}  // namespace DRAGOMAN_NAMESPACE
