#include "core/params.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/rng.h"
#include "core/view.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

/// Q of A = QR for a matrix of normal draws, its columns signed so that R's diagonal is positive: then Q is uniformly
/// distributed (Mezzadri 2007). A wide block is the transpose of a tall one.
Eigen::MatrixXd orthogonal_block(Index rows, Index cols, Rng& rng) {
  Eigen::MatrixXd draws(std::max(rows, cols), std::min(rows, cols));
  for (double& x : draws.reshaped()) x = rng.normal();
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(draws);
  Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(draws.rows(), draws.cols());
  q *= qr.matrixQR().diagonal().cwiseSign().asDiagonal();
  if (rows < cols) q.transposeInPlace();
  return q;
}

/// One number of a block.
double draw(const Init& init, ConstMat block, Rng& rng) {
  switch (init.kind) {
    case Init::Kind::constant:
      return init.scale;
    case Init::Kind::xavier: {
      const double bound = init.gain * std::sqrt(6.0 / static_cast<double>(block.rows + block.cols));
      return bound * (2 * rng.uniform() - 1);
    }
    case Init::Kind::normal:
      return init.scale * rng.normal();
    case Init::Kind::uniform:
      return init.scale * (2 * rng.uniform() - 1);
    default:
      return 0;
  }
}

void fill(const Param& param, std::uint64_t seed, Mat m) {
  const Init& init = param.init;
  const Index width = m.cols / init.blocks;
  for (Index block = 0; block < init.blocks; ++block) {
    const Mat part = m.col_range(block * width, width);
    Rng rng(hash_key({seed, hash_name(param.name), static_cast<std::uint64_t>(block)}));
    if (init.kind == Init::Kind::orthogonal) {
      view(part) = (init.gain * orthogonal_block(part.rows, part.cols, rng)).cast<Real>();
      continue;
    }
    const bool zero = init.kind == Init::Kind::constant && init.only_block >= 0 && init.only_block != block;
    for (Index i = 0; i < part.rows; ++i) {
      for (Index j = 0; j < part.cols; ++j) part(i, j) = static_cast<Real>(zero ? 0 : draw(init, part, rng));
    }
  }
}

}  // namespace

Init init_by_name(const std::string& name, double scale, Index blocks) {
  if (name == "xavier") return {Init::Kind::xavier, 0, blocks};
  if (name == "normal") return {Init::Kind::normal, scale, blocks};
  if (name == "uniform") return {Init::Kind::uniform, scale, blocks};
  CHECK(name == "orthogonal", "unknown initialisation " + name);
  return {Init::Kind::orthogonal, 0, blocks};
}

ParamRef ParamStore::add(const std::string& name, Index rows, Index cols, Init init, ParamUse use) {
  const ParamRef ref{size_, rows, cols};
  if (ref.empty()) return ref;
  CHECK(find(name) == nullptr, "parameter declared twice: " + name);
  CHECK(cols % init.blocks == 0, "blocks of " + name);
  params_.push_back({name, ref, init, use, true});
  size_ += (static_cast<std::size_t>(rows * cols) + 15) / 16 * 16;
  return ref;
}

ParamRef ParamStore::add_bias(const std::string& name, Index cols, Init init) {
  const ParamRef ref = add(name, 1, cols, init, ParamUse::other);
  if (!ref.empty()) params_.back().decay = false;
  return ref;
}

void ParamStore::initialize(std::uint64_t seed) {
  allocate();
  for (const Param& param : params_) {
    fill(param, seed, {values_.data() + param.ref.offset, param.ref.rows, param.ref.cols, param.ref.cols});
  }
}

const Param* ParamStore::find(const std::string& name) const {
  for (const Param& param : params_) {
    if (param.name == name) return &param;
  }
  return nullptr;
}

std::size_t ParamStore::count() const {
  std::size_t n = 0;
  for (const Param& param : params_) n += static_cast<std::size_t>(param.ref.rows * param.ref.cols);
  return n;
}

}  // namespace DRAGOMAN_NAMESPACE
