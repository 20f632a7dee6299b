// Positions: what tells a Transformer the order of its tokens.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/batch.h"
#include "core/params.h"

namespace DRAGOMAN_NAMESPACE {

/// x_t += p_t for the token at position t = 0, 1, ... of its sentence.
///   sinusoidal  p_t[2i] = sin(t / 10000^(2i/size)), p_t[2i + 1] = cos(the same)   (Vaswani et al. 2017, section 3.5)
///   learned     p_t = row t of a table [max_positions, size]                      (Gehring et al. 2017)
///   none        p_t = 0
class Positions {
 public:
  /// `kind` as above; max_positions counts for learned ones, which start as draws of `init`.
  Positions(ParamStore& store, const std::string& name, const std::string& kind, Index size, Index max_positions,
            const Init& init);

  /// kNoLimit unless learned.
  [[nodiscard]] Index max_positions() const { return table_.empty() ? kNoLimit : table_.rows; }

  /// Row r of sentence i is at position first + r - offset[i]. CHECK: beyond max_positions.
  void add(Values values, std::span<const Index> offset, Index first, Mat x) const;
  /// Adds to the gradient of the table; positions from 0.
  void backward(std::span<const Index> offset, ConstMat dx, Grads grads) const;

 private:
  Index size_;
  ParamRef table_;               ///< learned
  std::vector<Real> sinusoids_;  ///< the first rows of p; later ones are computed when they are asked for
};

}  // namespace DRAGOMAN_NAMESPACE
