// Goldens: numbers that PyTorch computed (tests/golden/make_golden.py), and how close ours must be.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/params.h"
#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {

#ifdef DRAGOMAN_DOUBLE
inline constexpr double kGoldenBound = 1e-9;
inline constexpr double kGoldenLossBound = 1e-8;  // ten updates later
#else
inline constexpr double kGoldenBound = 1e-5;
inline constexpr double kGoldenLossBound = 1e-5;
#endif

inline nlohmann::json read_golden(const std::string& name) {
  std::ifstream file(std::string(DRAGOMAN_ROOT) + "/tests/golden/" + name);
  return nlohmann::json::parse(file);
}

inline double largest(const std::vector<double>& numbers) {
  double most = 0;
  for (const double x : numbers) most = std::max(most, std::fabs(x));
  return most;
}

/// max |a - g| / max |g| <= kGoldenBound. Where all of g is (up to rounding) zero beside `scale`, the largest number
/// of all tensors that belong together, it is measured against that.
inline void expect_golden(const std::string& name, ConstMat found, const nlohmann::json& golden, double scale = 0) {
  const auto expected = golden.get<std::vector<double>>();
  ASSERT_EQ(static_cast<Index>(expected.size()), found.rows * found.cols) << name;
  const double most = largest(expected);
  const double unit = most > 1e-12 * scale ? most : scale;
  for (Index i = 0; i < found.rows; ++i) {
    for (Index j = 0; j < found.cols; ++j) {
      const double g = expected[i * found.cols + j];
      ASSERT_LE(std::fabs(static_cast<double>(found(i, j)) - g), kGoldenBound * unit)
          << name << " (" << i << ", " << j << "): found " << found(i, j) << ", PyTorch " << g;
    }
  }
}

/// The matrix of a tensor's "value".
inline Numbers golden_matrix(const nlohmann::json& tensor) {
  Numbers m(tensor.at("rows").get<Index>(), tensor.at("cols").get<Index>(), 0);
  const auto values = tensor.at("value").get<std::vector<double>>();
  for (std::size_t i = 0; i < values.size(); ++i) m.data[i] = static_cast<Real>(values[i]);
  return m;
}

/// Sets every parameter of the store from the goldens of that name.
inline void set_parameters(ParamStore& store, const nlohmann::json& tensors) {
  store.initialize(1);
  for (const Param& p : store.params()) {
    ASSERT_TRUE(tensors.contains(p.name)) << p.name;
    const Numbers m = golden_matrix(tensors.at(p.name));
    ASSERT_EQ(m.rows, p.ref.rows) << p.name;
    ASSERT_EQ(m.cols, p.ref.cols) << p.name;
    std::copy(m.data.begin(), m.data.end(), store.data() + p.ref.offset);
  }
}

/// Compares the gradient of every parameter of the store.
inline void expect_golden_gradients(const ParamStore& store, const std::vector<Real>& gradient,
                                    const nlohmann::json& tensors) {
  double scale = 0;
  for (const nlohmann::json& tensor : tensors) {
    scale = std::max(scale, largest(tensor.at("gradient").get<std::vector<double>>()));
  }
  for (const Param& p : store.params()) {
    expect_golden("gradient of " + p.name, {gradient.data() + p.ref.offset, p.ref.rows, p.ref.cols, p.ref.cols},
                  tensors.at(p.name).at("gradient"), scale);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

/// The first row of each sentence, and the total.
inline std::vector<Index> offsets_of(const nlohmann::json& lengths) {
  std::vector<Index> offset = {0};
  for (const Index length : lengths.get<std::vector<Index>>()) offset.push_back(offset.back() + length);
  return offset;
}

}  // namespace DRAGOMAN_NAMESPACE
