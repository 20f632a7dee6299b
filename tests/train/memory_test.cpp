// The estimate of a training's memory.
#include "train/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "kernels/gemm.h"
#include "support/text_case.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

class MemoryEstimation : public ::testing::Test {
 protected:
  [[nodiscard]] MemoryEstimate estimate(const TrainOptions& options, bool validates = false, int threads = 1) const {
    return estimate_memory(*model_, encoder_, options, {}, validates ? text_.corpus.get() : nullptr, nullptr, threads);
  }
  [[nodiscard]] std::size_t parameters() const { return model_->params().size() * sizeof(Real); }

  TextCase text_{200};
  std::unique_ptr<Seq2Seq> model_ = text_.model();
  PairEncoder encoder_{*text_.corpus, text_.tokenizers, {}};
};

TEST_F(MemoryEstimation, CountsValuesMomentsMeansAndShards) {
  TrainOptions options;
  options.shards = 1;
  EXPECT_EQ(estimate(options).parameters, 4 * parameters()) << "values, two moments, one gradient";
  options.shards = 4;
  EXPECT_EQ(estimate(options).parameters, 7 * parameters());
  options.ema = 0.9;
  EXPECT_EQ(estimate(options).parameters, 8 * parameters());
  options.optimizer.type = "sgd";
  EXPECT_EQ(estimate(options).parameters, 6 * parameters());
  options.optimizer.momentum = 0.9;
  EXPECT_EQ(estimate(options).parameters, 7 * parameters());
}

TEST_F(MemoryEstimation, CountsTheActivationsOfAPieceForEachThreadThatHasAShard) {
  TrainOptions options;
  options.batch_tokens = 800;
  options.shards = 2;
  const std::size_t one = estimate(options).activations;
  EXPECT_GT(one, 0U);
  EXPECT_EQ(estimate(options, false, 2).activations, 2 * one);
  EXPECT_EQ(estimate(options, false, 3).activations, 2 * one) << "no shard for a third thread";
  options.piece_tokens = 100;
  const std::size_t buffers = product_bytes();
  EXPECT_LT(estimate(options).activations - buffers, (one - buffers) / 2);
  EXPECT_GT(estimate(options).activations - buffers, (one - buffers) / 8);
}

TEST_F(MemoryEstimation, CountsTheCopiesForValidatingWhenThatIsAsked) {
  TrainOptions options;
  const std::size_t training = estimate(options).packed;
  const std::size_t validating = estimate(options, true).packed;
  EXPECT_GT(validating, training);
  options.validation.metrics = {"perplexity"};
  EXPECT_EQ(estimate(options, true).packed, validating);
}

TEST_F(MemoryEstimation, CountsWhatAValidationMayTake) {
  TrainOptions options;
  EXPECT_EQ(estimate(options).validation, 0U) << "nothing is validated";
  const std::size_t one = estimate(options, true).validation;
  EXPECT_GT(one, 0U);
  EXPECT_EQ(estimate(options, true, 2).validation, 2 * one);
  options.validation.beam_size = 8;
  EXPECT_EQ(estimate(options, true).validation, one) << "a recurrent decoder keeps no cache";
  ModelConfig config = tiny_config();
  make_transformer(config, true, true);
  model_ = text_.model(config);
  options.validation.beam_size = 1000;
  const std::size_t wide = estimate(options, true).validation;
  options.validation.beam_size = 1;
  EXPECT_GT(wide, 10 * estimate(options, true).validation) << "the caches of a thousand hypotheses";
}

TEST_F(MemoryEstimation, CountsTheBeamOfTheTestSet) {
  ModelConfig config = tiny_config();
  make_transformer(config, true, true);
  const auto model = text_.model(config);
  const auto validation = [&](const Corpus* test, Index beam_size) {
    DecodeOptions decoding;
    decoding.beam_size = beam_size;
    return estimate_memory(*model, encoder_, {}, decoding, text_.corpus.get(), test, 1).validation;
  };
  EXPECT_EQ(validation(nullptr, 1000), validation(nullptr, 1)) << "validation has a beam of its own";
  EXPECT_GT(validation(text_.corpus.get(), 1000), 10 * validation(text_.corpus.get(), 1));
}

std::string words(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += "1 ";
  return text + "\n";
}

TEST_F(MemoryEstimation, ALongLineThatIsDroppedCountsForNothing) {
  std::vector<std::size_t> found;
  for (const std::string& text : {std::string("1 2 3\n1 2 3\n"), "1 2 3\n1 2 3\n" + words(20'000)}) {
    const auto corpus = text_.open("lines", text, text);
    const PairEncoder encoder(*corpus, text_.tokenizers, {});
    found.push_back(estimate_memory(*model_, encoder, {}, {}, nullptr, nullptr, 1).activations);
  }
  EXPECT_EQ(found[1], found[0]);
}

TEST_F(MemoryEstimation, CountsALongDevelopmentLineWhichNothingDrops) {
  ModelConfig config = tiny_config();
  make_transformer(config, true, true);
  TrainOptions options;
  options.validation.metrics = {"loss"};
  for (const bool recurrent : {false, true}) {
    const auto model = recurrent ? text_.model() : text_.model(config);
    for (const auto& [source, target] : {std::pair{1200, 1200}, {3000, 20}, {20, 3000}, {2500, 3000}}) {
      SCOPED_TRACE(std::to_string(source) + " " + std::to_string(target) + (recurrent ? " recurrent" : ""));
      const auto dev = text_.open("dev", "1 2 3\n" + words(source), "1 2 3\n" + words(target));
      const MemoryEstimate found = estimate_memory(*model, encoder_, options, {}, dev.get(), nullptr, 1);
      EXPECT_EQ(found.longest_line, std::max(source, target) + 1);
      Workspace workspace;
      model->evaluate(model->values(), encode_all(encoder_.with(*dev), 1).back(), 0, {}, workspace);
      EXPECT_GT(static_cast<double>(found.validation), 0.9 * static_cast<double>(workspace.peak_bytes()));
      EXPECT_LT(static_cast<double>(found.validation), 1.4 * static_cast<double>(workspace.peak_bytes()));
    }
  }
}

TEST_F(MemoryEstimation, CountsTheBuffersOfProducts) {
  // On a thread of its own, which has multiplied nothing yet.
  std::thread([] {
    EXPECT_EQ(product_bytes(), 0U);
    const std::vector<Real> a(300 * 20, 1), b(300 * 1000, 1);
    std::vector<Real> c(20 * 1000);
    gemm_tn({a.data(), 300, 20, 20}, {b.data(), 300, 1000, 1000}, {c.data(), 20, 1000, 1000});
    EXPECT_GE(product_bytes(), 300 * 1000 * sizeof(Real));
    EXPECT_LT(product_bytes(), 300 * 1200 * sizeof(Real));
  }).join();
  std::thread([this] {
    const std::size_t before = estimate({}).activations, buffers = product_bytes();
    ASSERT_GT(buffers, 0U);
    const std::vector<Real> a(300, 1), b(300 * 20'000, 1);  // lets this thread's buffer grow
    std::vector<Real> c(20'000);
    gemm_tn({a.data(), 300, 1, 1}, {b.data(), 300, 20'000, 20'000}, {c.data(), 1, 20'000, 20'000});
    EXPECT_EQ(estimate({}).activations - before, product_bytes() - buffers);
    EXPECT_GT(product_bytes(), 300 * 20'000 * sizeof(Real));
  }).join();
}

TEST_F(MemoryEstimation, LeavesTheModelAsItWas) {
  const std::vector<Real> before(model_->params().data(), model_->params().data() + model_->params().size());
  static_cast<void>(estimate({}));
  EXPECT_TRUE(std::equal(before.begin(), before.end(), model_->params().data()));
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
