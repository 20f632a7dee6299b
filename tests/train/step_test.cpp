// One update: accumulation, clipping, numbers that are not finite, and no memory requests once warm.
#include "train/step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/allocation_guard.h"
#include "support/numbers.h"
#include "support/step_options.h"
#include "support/text_case.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

#ifdef DRAGOMAN_DOUBLE
constexpr double kBound = 1e-12;
#else
constexpr double kBound = 1e-5;
#endif
constexpr double kSmoothing = 0.1;

ModelConfig config_with_dropout() {
  ModelConfig config = tiny_config();
  config.dropout = {0.2, 0.3, 0.25, 0.15, 0.1, 0.3, 0.2};
  config.decoder.layers = 2;
  return config;
}

Seq2Seq make_model(const ModelConfig& config = tiny_config(), Index target_vocabulary = kTargetVocabulary) {
  Seq2Seq model(config, kSourceVocabulary, target_vocabulary);
  initialize_with_biases(model.params(), 3);
  return model;
}

Batch random_batch(Index count, std::uint64_t seed) {
  std::vector<Index> source, target;
  for (Index i = 0; i < count; ++i) {
    source.push_back(1 + (i * 7 + 2) % 6);
    target.push_back(1 + (i * 5 + 3) % 7);
  }
  Batch batch;
  batch.source = random_sentences(source, kSourceVocabulary, seed);
  batch.target = random_sentences(target, kTargetVocabulary, seed + 100);
  return batch;
}

Batch joined(const Batch& a, const Batch& b) {
  Batch both = a;
  for (Index i = 0; i < b.count(); ++i) {
    both.source.add(b.source[i]);
    both.target.add(b.target[i]);
  }
  return both;
}

std::vector<Real> values_of(const Seq2Seq& model) {
  return {model.values().base, model.values().base + model.params().size()};
}

/// Plain gradient descent with rate 1: what an update subtracts is the (clipped) mean gradient.
struct GradientStep {
  TrainStep::Result result;
  std::vector<double> gradient;
};

TrainOptions gradient_descent(Index shards = 4, double clip_norm = 0) {
  OptimizerOptions sgd;
  sgd.type = "sgd";
  return step_options(sgd, shards, clip_norm);
}

GradientStep gradient_step(const ModelConfig& config, const std::vector<Batch>& batches, const TrainOptions& options) {
  Seq2Seq model = make_model(config);
  TrainStep step(model, options, 5);
  const std::vector<Real> before = values_of(model);
  for (const Batch& batch : batches) step.accumulate(batch, 1);
  GradientStep found{step.finish(1, 1.0), {}};
  const std::vector<Real> after = values_of(model);
  for (std::size_t i = 0; i < before.size(); ++i) {
    found.gradient.push_back(static_cast<double>(before[i]) - static_cast<double>(after[i]));
  }
  return found;
}

GradientStep gradient_step(const ModelConfig& config, const std::vector<Batch>& batches, double clip_norm = 0,
                           Index shards = 4) {
  return gradient_step(config, batches, gradient_descent(shards, clip_norm));
}

double norm_of(const std::vector<double>& numbers) {
  double square = 0;
  for (const double x : numbers) square += x * x;
  return std::sqrt(square);
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}

TEST(TrainStep, SubtractsTheMeanGradientPerLabel) {
  const Batch batch = random_batch(9, 1);
  const GradientStep found = gradient_step(tiny_config(), {batch});
  const Seq2Seq model = make_model();
  std::vector<std::uint64_t> ids(9);
  std::vector<Real> sum(model.params().size());
  Workspace workspace;
  const LossSums sums = model.forward_backward(model.values(), batch, {1, ids}, kSmoothing, {sum.data()}, workspace);
  std::vector<double> mean;
  for (const Real g : sum) mean.push_back(static_cast<double>(g) / static_cast<double>(batch.labels()));
  EXPECT_LE(largest_difference(found.gradient, mean), kBound);
  EXPECT_NEAR(found.result.gradient_norm, norm_of(mean), kBound * norm_of(mean));
  EXPECT_NEAR(found.result.sums.loss, sums.loss, kBound * sums.loss);
  EXPECT_EQ(found.result.sums.labels, batch.labels());
}

TEST(TrainStep, TwoMicroBatchesAreOneBatch) {
  // With dropout: the random numbers belong to a sentence's place in the update, not in its micro-batch.
  const Batch first = random_batch(8, 1), second = random_batch(5, 2);
  const GradientStep apart = gradient_step(config_with_dropout(), {first, second});
  const GradientStep together = gradient_step(config_with_dropout(), {joined(first, second)});
  EXPECT_LE(largest_difference(apart.gradient, together.gradient), kBound);
  EXPECT_NEAR(apart.result.sums.loss, together.result.sums.loss, kBound * together.result.sums.loss);
  EXPECT_EQ(apart.result.sums.labels, together.result.sums.labels);
  EXPECT_GT(largest_difference(apart.gradient, gradient_step(config_with_dropout(), {first}).gradient), 1e-3);
}

TEST(TrainStep, ShardsChangeTheGradientByRoundingOnly) {
  const Batch batch = random_batch(9, 1);
  const GradientStep one = gradient_step(config_with_dropout(), {batch}, 0, 1);
  for (const Index shards : {2, 4, 16}) {
    EXPECT_LE(largest_difference(gradient_step(config_with_dropout(), {batch}, 0, shards).gradient, one.gradient),
              kBound);
  }
}

TEST(TrainStep, PiecesOfAShardChangeTheGradientByRoundingOnly) {
  const Batch batch = random_batch(19, 1);
  const GradientStep whole = gradient_step(config_with_dropout(), {batch}, 0, 2);
  for (const Index tokens : {1, 9, 20, 1000}) {
    TrainOptions options = gradient_descent(2);
    options.piece_tokens = tokens;
    const GradientStep pieces = gradient_step(config_with_dropout(), {batch}, options);
    EXPECT_LE(largest_difference(pieces.gradient, whole.gradient), kBound) << tokens;
    EXPECT_EQ(pieces.result.sums.labels, whole.result.sums.labels);
    EXPECT_NEAR(pieces.result.sums.loss, whole.result.sums.loss, kBound * whole.result.sums.loss);
    EXPECT_EQ(pieces.gradient == whole.gradient, tokens == 1000)
        << tokens << ": other sums unless there is room for all";
  }
}

TEST(TrainStep, ClipsByTheGlobalNorm) {
  const Batch batch = random_batch(9, 1);
  const GradientStep free = gradient_step(tiny_config(), {batch});
  const double norm = free.result.gradient_norm;
  const GradientStep clipped = gradient_step(tiny_config(), {batch}, norm / 4);
  EXPECT_EQ(clipped.result.gradient_norm, norm) << "the norm before clipping";
  EXPECT_NEAR(norm_of(clipped.gradient), norm / 4, 1e-4 * norm);
  for (std::size_t i = 0; i < free.gradient.size(); ++i) {
    EXPECT_NEAR(clipped.gradient[i], free.gradient[i] / 4, kBound);
  }
  EXPECT_EQ(gradient_step(tiny_config(), {batch}, 2 * norm).gradient, free.gradient) << "a smaller norm stays";
}

TEST(TrainStep, SumsEveryRangeOfALargeModel) {
  const Batch batch = random_batch(9, 1);
  Seq2Seq model = make_model(tiny_config(), 3500);
  ASSERT_GT(model.params().size(), 2 * TrainStep::kRange) << "three ranges, or this shows nothing";
  const std::vector<Real> before = values_of(model);
  std::vector<std::uint64_t> ids(9);
  std::vector<Real> sum(before.size());
  Workspace workspace;
  model.forward_backward(model.values(), batch, {1, ids}, kSmoothing, {sum.data()}, workspace);
  TrainStep step(model, gradient_descent(), 5);
  for (std::int64_t update = 1; update <= 2; ++update) {  // the first leaves nothing behind
    step.accumulate(batch, update);
    step.finish(update, update == 1 ? 0.0 : 1.0);
  }
  const std::vector<Real> after = values_of(model);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const double mean = static_cast<double>(sum[i]) / static_cast<double>(batch.labels());
    ASSERT_NEAR(static_cast<double>(before[i]) - static_cast<double>(after[i]), mean, kBound) << i;
  }
  const Param& last = model.params().params().back();
  EXPECT_EQ(last.name, "output.b");
  EXPECT_NE(sum[last.ref.offset + static_cast<std::size_t>(last.ref.cols) - 1], 0) << "the last gradient counts";
}

TEST(TrainStep, EachUpdateSeedAndSentenceDrawsItsOwnMasks) {
  const Batch batch = random_batch(9, 1);
  const auto loss = [](const ModelConfig& config, const Batch& of, std::int64_t update, std::uint64_t seed) {
    Seq2Seq model = make_model(config);
    TrainStep step(model, gradient_descent(), seed);
    step.accumulate(of, update);
    return step.finish(update, 0.0).sums.loss;
  };
  const ModelConfig dropout = config_with_dropout();
  EXPECT_EQ(loss(dropout, batch, 1, 5), loss(dropout, batch, 1, 5));
  EXPECT_NE(loss(dropout, batch, 1, 5), loss(dropout, batch, 2, 5));
  EXPECT_NE(loss(dropout, batch, 2, 5), loss(dropout, batch, 3, 5));
  EXPECT_NE(loss(dropout, batch, 1, 5), loss(dropout, batch, 1, 6));
  EXPECT_EQ(loss(tiny_config(), batch, 1, 5), loss(tiny_config(), batch, 2, 6)) << "without dropout nothing is drawn";
  Batch one;
  one.source.add(batch.source[3]);
  one.target.add(batch.target[3]);
  const double once = loss(dropout, one, 1, 5), twice = loss(dropout, joined(one, one), 1, 5);
  EXPECT_GT(std::fabs(twice - 2 * once), 1e-3 * once) << "the same sentence at another place of the update";
}

TEST(TrainStep, ForgetsTheGradientOfAnUpdate) {
  Seq2Seq model = make_model();
  OptimizerOptions sgd;
  sgd.type = "sgd";
  TrainStep step(model, step_options(sgd, 4, 0), 5);
  step.accumulate(random_batch(6, 1), 1);
  step.finish(1, 0.0);  // a rate of zero: the model stays
  step.accumulate(random_batch(9, 2), 2);
  const TrainStep::Result result = step.finish(2, 0.0);
  const GradientStep fresh = gradient_step(tiny_config(), {random_batch(9, 2)});
  EXPECT_EQ(result.gradient_norm, fresh.result.gradient_norm);
  EXPECT_EQ(result.sums.loss, fresh.result.sums.loss);
}

TEST(TrainStep, ThreadsChangeNoBit) {
  std::vector<GradientStep> found;
  for (const int threads : {1, 2, 3}) {
    const ThreadsGuard guard(threads);
    found.push_back(gradient_step(config_with_dropout(), {random_batch(9, 1), random_batch(3, 2)}, 0.1));
  }
  for (const GradientStep& other : {found[1], found[2]}) {
    EXPECT_EQ(other.gradient, found[0].gradient);
    EXPECT_EQ(other.result.gradient_norm, found[0].result.gradient_norm);
    EXPECT_EQ(other.result.sums.loss, found[0].result.sums.loss);
  }
}

TEST(TrainStep, ALossThatIsNotFiniteUpdatesNothing) {
  Seq2Seq model = make_model();
  OptimizerOptions adam;
  TrainStep step(model, step_options(adam, 4, 1), 5);
  const Batch batch = random_batch(9, 1);
  const std::size_t poisoned = model.params().find("output.b")->ref.offset + 4;
  const Real kept = model.params().data()[poisoned];
  model.params().data()[poisoned] = std::numeric_limits<Real>::quiet_NaN();
  const std::vector<Real> before = values_of(model);
  step.accumulate(batch, 1);
  const TrainStep::Result result = step.finish(1, 0.1);
  EXPECT_FALSE(result.updated);
  EXPECT_EQ(result.problem, "the loss") << "and not one of the gradients that it spoils";
  model.params().data()[poisoned] = kept;
  std::vector<Real> after = values_of(model);
  after[poisoned] = before[poisoned];
  EXPECT_EQ(std::memcmp(after.data(), before.data(), after.size() * sizeof(Real)), 0);
  for (const Optimizer::Buffer& moment : step.optimizer().buffers()) {
    EXPECT_EQ(moment.numbers, std::vector<Real>(model.params().size())) << moment.name;
  }
  // With the number mended, training goes on as if nothing had been.
  step.accumulate(batch, 1);
  EXPECT_EQ(step.finish(1, 0.1).gradient_norm, gradient_step(tiny_config(), {batch}).result.gradient_norm);
}

TEST(TrainStep, SaysWhichGradientIsNotFiniteWhereTheLossIs) {
  Seq2Seq model = make_model();
  TrainStep step(model, step_options({}, 4, 1), 5);
  const auto fill = [&](const std::string& name, const std::function<Real(Index)>& number) {
    const Param* p = model.params().find(name);
    ASSERT_NE(p, nullptr) << name;
    for (Index i = 0; i < p->ref.rows * p->ref.cols; ++i) {
      model.params().data()[p->ref.offset + static_cast<std::size_t>(i)] = number(i);
    }
  };
  // A readout of zero, so that the logits are finite; what comes back through the output matrix is not.
  fill("decoder.readout.w", [](Index) { return Real{0}; });
  fill("decoder.readout.b", [](Index) { return Real{0}; });
  fill("output.w", [](Index i) { return (i % 2 == 0 ? 1 : -1) * std::numeric_limits<Real>::max(); });
  step.accumulate(random_batch(9, 1), 1);
  const TrainStep::Result result = step.finish(1, 0.1);
  EXPECT_FALSE(result.updated);
  EXPECT_TRUE(std::isfinite(result.sums.loss));
  const std::string said = "the gradient of ";
  ASSERT_TRUE(result.problem.starts_with(said)) << result.problem;
  EXPECT_NE(model.params().find(result.problem.substr(said.size())), nullptr) << result.problem;
}

TEST(TrainStep, ASecondPassOfTheSameBatchesRequestsNoMemory) {
  if (!testing::AllocationGuard::works()) GTEST_SKIP() << "memory requests can't be counted here";
  for (const std::string kind : {"rnn", "gru", "lstm", "transformer"}) {
    const ThreadsGuard guard(1);  // of more, each would have to meet every shard before it is warm
    ModelConfig config = config_with_dropout();
    if (kind == "transformer") {
      make_transformer(config, true, true);
    } else {
      config.encoder.cell = config.decoder.cell = kind;
    }
    Seq2Seq model = make_model(config);
    OptimizerOptions adam;
    TrainStep step(model, step_options(adam, 4, 1), 5);
    const std::vector<Batch> batches = {random_batch(9, 1), random_batch(33, 2), random_batch(3, 3)};
    std::int64_t update = 0;
    for (int pass = 1; pass <= 3; ++pass) {
      for (const Batch& batch : batches) {
        const testing::AllocationGuard requests;
        parallel_for(4, [](Index, int) {});  // OpenMP's own: one for a region of one thread
        const std::int64_t own = requests.count();
        step.accumulate(batch, ++update);
        const std::int64_t count = requests.count() - 3 * own;  // this region, packing, the shards
        if (pass > 1) {
          EXPECT_EQ(count, 0) << kind << ", pass " << pass;
        }
        step.finish(update, 0.01);
      }
    }
  }
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
