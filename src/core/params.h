// Parameters: one flat buffer for all values, one of the same layout for gradients. Layers keep ParamRefs,
// which only say where a matrix lies.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/mat.h"
#include "core/precision.h"

namespace DRAGOMAN_NAMESPACE {

class PackedWeights;  // kernels/packed_weights.h

/// All parameters, read only; `packed`, if given, are copies of the same values for fast products; `precision` is that
/// of the products that read them.
struct Values {
  const Real* base = nullptr;
  const PackedWeights* packed = nullptr;
  Precision precision = Precision::float32;
};

/// All gradients; another type than Values so that the two can't be swapped. Gradients accumulate; `precision` is that
/// of the products that make those of weights.
struct Grads {
  Real* base = nullptr;
  Precision precision = Precision::float32;
};

/// Where a parameter matrix (or a range of its rows) lies in the flat buffers.
struct ParamRef {
  std::size_t offset = 0;
  Index rows = 0, cols = 0;

  [[nodiscard]] bool empty() const { return rows == 0 || cols == 0; }
  [[nodiscard]] ConstMat in(Values v) const { return {v.base + offset, rows, cols, cols}; }
  [[nodiscard]] Mat in(Grads g) const { return {g.base + offset, rows, cols, cols}; }
  [[nodiscard]] ParamRef row_range(Index begin, Index count) const {
    assert(begin >= 0 && count >= 0 && begin + count <= rows);
    return {offset + static_cast<std::size_t>(begin * cols), count, cols};
  }
};

/// How a matrix starts. A fused matrix has `blocks` equal column blocks (gates), each drawn with its own fans.
struct Init {
  enum class Kind { zero, constant, xavier, normal, uniform, orthogonal };
  Kind kind = Kind::zero;
  double scale = 0;  ///< constant: value; normal: deviation; uniform: half-width
  Index blocks = 1;
  Index only_block = -1;  ///< constant: fill only this block, zero elsewhere (the LSTM forget bias)
  double gain = 1;        ///< xavier, orthogonal: factor on what their shape gives
};

/// Init for a name of the configuration (xavier | normal | uniform | orthogonal).
Init init_by_name(const std::string& name, double scale, Index blocks);

/// What a parameter is for, which decides whether products read it.
enum class ParamUse {
  weights,      ///< W in y = x W
  tied_output,  ///< an embedding table that is the output matrix too: y = x E^T
  other,        ///< biases, gains, tables of look-ups
};

struct Param {
  std::string name;  ///< a path such as encoder.0.forward.w_x
  ParamRef ref;
  Init init;
  ParamUse use = ParamUse::weights;
  bool decay = true;  ///< weight decay applies (not to biases and norms)
};

/// The books of all parameters, and the owner of their values.
class ParamStore {
 public:
  /// Declares a parameter. An empty matrix (no rows or no columns) takes no space and is not listed.
  ParamRef add(const std::string& name, Index rows, Index cols, Init init, ParamUse use = ParamUse::weights);
  /// A bias: one row, starts at zero unless `init` says otherwise, no weight decay.
  ParamRef add_bias(const std::string& name, Index cols, Init init = {});

  /// All values zero, for a checkpoint to fill in.
  void allocate() { values_.assign(size_, 0); }
  /// Fills in starting values: a parameter's values are a function of (seed, name) and its shape only.
  void initialize(std::uint64_t seed);

  [[nodiscard]] const std::vector<Param>& params() const { return params_; }
  [[nodiscard]] const Param* find(const std::string& name) const;
  /// Length of the flat buffer; each matrix starts at a multiple of 16, the gaps stay zero.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Number of trainable parameters (gaps not counted).
  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] Values values() const { return {values_.data()}; }
  [[nodiscard]] Real* data() { return values_.data(); }

 private:
  std::vector<Param> params_;
  std::vector<Real> values_;
  std::size_t size_ = 0;
};

}  // namespace DRAGOMAN_NAMESPACE
