#include "core/params.h"

#include <cmath>

#include "core/error.h"
#include "core/rng.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

/// The first n columns of a random orthogonal basis: modified Gram-Schmidt on normal draws (twice, for accuracy).
std::vector<double> orthogonal_block(Index rows, Index cols, Rng& rng) {
  const bool tall = rows >= cols;
  const Index length = tall ? rows : cols;
  const Index count = tall ? cols : rows;
  std::vector<std::vector<double>> basis(count, std::vector<double>(length));
  for (Index i = 0; i < count; ++i) {
    std::vector<double>& v = basis[i];
    for (double& x : v) x = rng.normal();
    for (int pass = 0; pass < 2; ++pass) {
      for (Index j = 0; j < i; ++j) {
        double dot = 0;
        for (Index k = 0; k < length; ++k) dot += v[k] * basis[j][k];
        for (Index k = 0; k < length; ++k) v[k] -= dot * basis[j][k];
      }
    }
    double norm = 0;
    for (const double x : v) norm += x * x;
    for (double& x : v) x /= std::sqrt(norm);
  }
  std::vector<double> block(static_cast<std::size_t>(rows * cols));
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < cols; ++c) block[r * cols + c] = tall ? basis[c][r] : basis[r][c];
  }
  return block;
}

double draw(const Init& init, Index rows, Index cols, Rng& rng) {
  switch (init.kind) {
    case Init::Kind::xavier: {
      const double bound = init.gain * std::sqrt(6.0 / static_cast<double>(rows + cols));
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
    std::vector<double> ready;
    if (init.kind == Init::Kind::orthogonal) ready = orthogonal_block(part.rows, part.cols, rng);
    for (Index i = 0; i < part.rows; ++i) {
      for (Index j = 0; j < part.cols; ++j) {
        double value = 0;
        if (init.kind == Init::Kind::constant) {
          value = init.only_block < 0 || init.only_block == block ? init.scale : 0;
        } else {
          value = ready.empty() ? draw(init, part.rows, part.cols, rng) : init.gain * ready[i * part.cols + j];
        }
        part(i, j) = static_cast<Real>(value);
      }
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
