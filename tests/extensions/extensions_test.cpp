// A cell, a score, an optimizer, a schedule, a metric and a tokenizer that are known by nothing but their entries in the tables.
#include "extensions/extensions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/rng.h"
#include "support/model_gradient.h"
#include "support/training_case.h"
#include "train/optimizer.h"
#include "train/schedule.h"
#ifndef DRAGOMAN_DOUBLE
#include "config/config.h"
#include "config/key_table.h"
#include "core/error.h"
#endif

namespace DRAGOMAN_NAMESPACE {
namespace {

void use_extensions(ModelConfig& config) {
  config.encoder.cell = config.decoder.cell = "mgu";
  config.decoder.attention.score = "cosine";
}

void use_extensions(TrainingCase& c) {
  use_extensions(c.model_config);
  TrainOptions& training = c.input.training;
  training.optimizer.type = "lion";
  training.optimizer.learning_rate = 0.01;
  training.optimizer.weight_decay = 0.01;
  training.schedule = {.type = "quadratic", .warmup = 2, .final_factor = 0.1};
  training.validation.metrics = {"loss", "length_ratio"};  // and so decoding
  training.validation.early_stopping.metric = "loss";
}

#ifdef DRAGOMAN_DOUBLE

TEST(Extensions, GradientsOfAModelMatchDifferences) {
  for (const char* query : {"previous", "between", "current"}) {
    ModelConfig config = tiny_config();
    use_extensions(config);
    config.decoder.attention.query = query;
    config.decoder.layers = 2;
    check_model(config, query, false);
    if (HasFatalFailure()) return;
  }
}

#endif

TEST(Extensions, ATrainingLearnsAndResumesExactly) {
  TrainingCase c("byte");
  use_extensions(c);
  c.input.training.max_updates = 30;
  Recorder whole, parts;
  ASSERT_EQ(c.run("whole", whole), 0);
  EXPECT_LT(whole.validations.back().metrics.at("loss"), whole.validations.front().metrics.at("loss"));
  EXPECT_GT(whole.validations.back().metrics.at("length_ratio"), 0);
  Rng rng(1);
  parts.stop = [&] { return rng.uniform() < 0.1; };
  int interruptions = 0, signal = c.run("parts", parts);
  for (; signal != 0 && interruptions < 200; signal = c.run("parts", parts, true)) ++interruptions;
  ASSERT_EQ(signal, 0);
  EXPECT_GT(interruptions, 3);
  EXPECT_EQ(parts.reports(), whole.reports());
  expect_same_tree(c.directory("parts"), c.directory("whole"));
}

TEST(Extensions, LionTakesStepsOfTheRate) {
  ParamStore store;
  const ParamRef w = store.add("w", 2, 5, {Init::Kind::normal, 1});
  store.initialize(1);
  OptimizerOptions options;
  options.type = "lion";
  Optimizer optimizer(options, store);
  ASSERT_EQ(optimizer.buffers().size(), 1);
  const std::vector<Real> before(store.data(), store.data() + store.size());
  std::vector<Real> gradient(store.size());
  for (Index i = 0; i < w.rows * w.cols; ++i) gradient[i] = i % 3 == 0 ? Real(-0.1) : Real(7);
  EXPECT_TRUE(optimizer.apply(1, 0.5, gradient.data(), 1, store.data()));
  for (Index i = 0; i < w.rows * w.cols; ++i) {
    EXPECT_NEAR(store.data()[i] - before[i], i % 3 == 0 ? 0.5 : -0.5, 1e-6) << i;
  }
}

TEST(Extensions, AScheduleOfOneFunctionHasWarmupAndEnd) {
  const Schedule schedule({.type = "quadratic", .warmup = 10, .final_factor = 0.2}, 2, 110);
  EXPECT_DOUBLE_EQ(schedule.learning_rate(5), 1);
  EXPECT_DOUBLE_EQ(schedule.learning_rate(60), 2 * (0.2 + 0.8 * 0.25));
  EXPECT_DOUBLE_EQ(schedule.learning_rate(110), 2 * 0.2);
}

#ifndef DRAGOMAN_DOUBLE

std::string problems_of(const std::string& text) {
  try {
    parse_config(text, "my.yaml", {}, Files::may_be_missing);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Extensions, AConfigurationChoosesThemByName) {
  const std::string text =
      "data: {train: {source: [a], target: [b]}}\n"
      "model: {encoder: {cell: mgu}, decoder: {cell: mgu, attention: {score: cosine}}}\n"
      "tokenizer: {type: byte}\n"
      "training: {max_updates: 9, optimizer: {type: lion, weight_decay: 0.1}, schedule: {type: quadratic}}\n";
  EXPECT_EQ(problems_of(text), "");
  EXPECT_NE(reference_yaml().find("rnn | gru | lstm | mgu"), std::string::npos);
  EXPECT_NE(configuration_markdown().find("cosine"), std::string::npos);
  // What an entry says of itself decides which keys go with it.
  for (const auto& [more, words] : {
           std::pair("training: {optimizer: {type: lion, epsilon: 1e-3}}\n", "only adam or adamw reads it"),
           std::pair("tokenizer: {type: byte, model_type: unigram}\n", "only sentencepiece reads it"),
           std::pair("training: {validation: {metrics: [length]}}\n", "length_ratio"),
           std::pair("training: {optimizer: {weight_decay: 0.1}}\n", "use type adamw or lion"),
           std::pair("training: {schedule: {type: quadratic, factor: 0.1}}\n", "only plateau reads it"),
           std::pair("training: {max_updates: 0, schedule: {type: quadratic}}\n", "because quadratic falls towards it"),
           std::pair("model: {encoder: {cell: mgu}, init: {forget_bias: 2}}\n", "the cell has no forget gate"),
           std::pair("model: {encoder: {type: transformer, score: cosine}}\n", "found cosine"),
       }) {
    const std::string found = problems_of("data: {train: {source: [a], target: [b]}}\n" + std::string(more));
    EXPECT_NE(found.find(words), std::string::npos) << more << found;
  }
}

#endif

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
