// Optimizers against the formulas of their papers, written out number by number in double.
#include "train/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/numbers.h"
#include "support/text_case.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

#ifdef DRAGOMAN_DOUBLE
constexpr double kBound = 1e-13;
#else
constexpr double kBound = 2e-6;
#endif

/// Larger than two ranges of the fused pass, with a bias at both ends.
ParamStore some_store() {
  ParamStore store;
  store.add("w", 7, 5, {Init::Kind::normal, 1.0});
  store.add_bias("b", 19, {Init::Kind::normal, 1.0});
  store.add("large", 200, 360, {Init::Kind::normal, 1.0});
  store.add_bias("last", 3, {Init::Kind::normal, 1.0});
  store.initialize(4);
  return store;
}

TEST(Optimizer, TheseTestsCrossTwoRanges) { EXPECT_GT(some_store().size(), 2 * Optimizer::kRange); }

std::vector<double> values_of(const ParamStore& store) {
  return {store.values().base, store.values().base + store.size()};
}

constexpr double kScale = 0.25;

/// Runs five updates of falling rate and compares every number with `formula(i, decays, x, g, rate, update)`.
template <class Formula>
void expect_formula(const OptimizerOptions& options, Formula formula) {
  ParamStore store = some_store();
  std::vector<double> expected = values_of(store);
  Optimizer optimizer(options, store);
  for (std::int64_t update = 1; update <= 5; ++update) {
    const double rate = options.learning_rate / static_cast<double>(update);
    std::vector<Real> gradient(store.size());
    for (const Param& p : store.params()) {
      const std::vector<Real> random = random_numbers(p.ref.rows * p.ref.cols, hash_name(p.name) + update);
      std::copy(random.begin(), random.end(), gradient.begin() + static_cast<std::ptrdiff_t>(p.ref.offset));
    }
    EXPECT_TRUE(optimizer.apply(update, rate, gradient.data(), kScale, store.data()));
    for (const Param& p : store.params()) {
      for (std::size_t i = p.ref.offset; i < p.ref.offset + static_cast<std::size_t>(p.ref.rows * p.ref.cols); ++i) {
        expected[i] = formula(i, p.decay, expected[i], kScale * static_cast<double>(gradient[i]), rate, update);
        ASSERT_NEAR(store.data()[i], expected[i], kBound * std::max(1.0, std::fabs(expected[i])))
            << p.name << " number " << i - p.ref.offset << " update " << update;
      }
    }
  }
}

OptimizerOptions options_of(const std::string& type, double rate) {
  OptimizerOptions options;
  options.type = type;
  options.learning_rate = rate;
  return options;
}

TEST(Optimizer, SgdFollowsTheGradient) {
  expect_formula(options_of("sgd", 0.5),
                 [](std::size_t, bool, double x, double g, double rate, std::int64_t) { return x - rate * g; });
}

TEST(Optimizer, SgdWithMomentumFollowsThatOfItsFormula) {
  OptimizerOptions options = options_of("sgd", 0.5);
  options.momentum = 0.8;
  std::vector<double> m(1 << 17);
  expect_formula(options, [&](std::size_t i, bool, double x, double g, double rate, std::int64_t) {
    m[i] = 0.8 * m[i] + g;
    return x - rate * m[i];
  });
}

class Adam {
 public:
  double operator()(std::size_t i, double x, double g, double rate, std::int64_t update) {
    m_[i] = 0.85 * m_[i] + 0.15 * g;
    v_[i] = 0.97 * v_[i] + 0.03 * g * g;
    const double m = m_[i] / (1 - std::pow(0.85, update));
    const double v = v_[i] / (1 - std::pow(0.97, update));
    return x - rate * m / (std::sqrt(v) + 1e-3);
  }

 private:
  std::vector<double> m_ = std::vector<double>(1 << 17), v_ = m_;
};

OptimizerOptions adam_options(const std::string& type) {
  OptimizerOptions options = options_of(type, 0.1);
  options.beta1 = 0.85;
  options.beta2 = 0.97;
  options.epsilon = 1e-3;  // large enough to be seen
  return options;
}

TEST(Optimizer, AdamFollowsItsFormula) {
  Adam adam;
  expect_formula(adam_options("adam"), [&](std::size_t i, bool, double x, double g, double rate, std::int64_t update) {
    return adam(i, x, g, rate, update);
  });
}

TEST(Optimizer, AdamwDecaysWeightsButNoBiases) {
  OptimizerOptions options = adam_options("adamw");
  options.weight_decay = 0.3;
  Adam adam;
  expect_formula(options, [&](std::size_t i, bool decays, double x, double g, double rate, std::int64_t update) {
    return adam(i, decays ? x - rate * 0.3 * x : x, g, rate, update);
  });
}

TEST(Optimizer, OnlyAdamwReadsWeightDecay) {
  OptimizerOptions options = adam_options("adam");
  options.weight_decay = 0.3;
  Adam adam;
  expect_formula(options, [&](std::size_t i, bool, double x, double g, double rate, std::int64_t update) {
    return adam(i, x, g, rate, update);
  });
}

TEST(Optimizer, TheFirstStepOfAdamHasTheSizeOfTheRate) {
  ParamStore store = some_store();
  const std::vector<double> before = values_of(store);
  Optimizer optimizer(options_of("adam", 0.01), store);
  const std::vector<Real> gradient = random_numbers(static_cast<Index>(store.size()), 6);
  EXPECT_TRUE(optimizer.apply(1, 0.01, gradient.data(), 1, store.data()));
  for (const Param& p : store.params()) {
    const std::size_t i = p.ref.offset;
    EXPECT_NEAR(before[i] - store.data()[i], gradient[i] > 0 ? 0.01 : -0.01, 1e-6) << p.name;
  }
}

TEST(Optimizer, NamesItsMoments) {
  const ParamStore store = some_store();
  const auto names = [&](const std::string& type, double momentum) {
    OptimizerOptions options = options_of(type, 0.1);
    options.momentum = momentum;
    std::string text;
    Optimizer optimizer(options, store);
    for (const Optimizer::Buffer& moment : optimizer.buffers()) {
      EXPECT_EQ(moment.numbers.size(), store.size());
      text += moment.name + " ";
    }
    return text;
  };
  EXPECT_EQ(names("sgd", 0), "");
  EXPECT_EQ(names("sgd", 0.5), "momentum ");
  EXPECT_EQ(names("adam", 0), "first second ");
  EXPECT_EQ(names("adamw", 0), "first second ");
  Optimizer averaged(options_of("sgd", 0.1), store, 0.9);
  EXPECT_EQ(averaged.buffers().back().name, "ema");
}

TEST(Optimizer, ThreadsChangeNoBit) {
  std::vector<std::vector<double>> results;
  for (const int threads : {1, 2, 3}) {
    const ThreadsGuard guard(threads);
    ParamStore store = some_store();
    Optimizer optimizer(adam_options("adamw"), store);
    const std::vector<Real> gradient = random_numbers(static_cast<Index>(store.size()), 6);
    for (std::int64_t update = 1; update <= 3; ++update) {
      EXPECT_TRUE(optimizer.apply(update, 0.1, gradient.data(), 0.5, store.data()));
    }
    results.push_back(values_of(store));
  }
  EXPECT_EQ(results[1], results[0]);
  EXPECT_EQ(results[2], results[0]);
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
