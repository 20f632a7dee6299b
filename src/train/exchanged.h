// The model with other weights, for a while.
#pragma once

#include <algorithm>
#include <vector>

#include "core/real.h"

namespace DRAGOMAN_NAMESPACE {

/// While it lives, the model has the other weights (none: its own) and they lie there.
class Exchanged {
 public:
  Exchanged(std::vector<Real>* weights, Real* values) : weights_(weights), values_(values) { exchange(); }
  ~Exchanged() { exchange(); }
  Exchanged(const Exchanged&) = delete;
  Exchanged& operator=(const Exchanged&) = delete;

 private:
  void exchange() const {
    if (weights_ != nullptr) std::swap_ranges(weights_->begin(), weights_->end(), values_);
  }

  std::vector<Real>* weights_;
  Real* values_;
};

}  // namespace DRAGOMAN_NAMESPACE
