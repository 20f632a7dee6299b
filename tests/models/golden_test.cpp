// Whole models against PyTorch: loss, every gradient, and the losses of ten updates on one batch.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/seq2seq.h"
#include "support/golden.h"
#include "train/optimizer.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

/// models.json: recurrent on both sides, flat.
ModelConfig recurrent_config(const nlohmann::json& g) {
  ModelConfig config;
  g.at("encoder_cell").get_to(config.encoder.cell);
  g.at("encoder_layers").get_to(config.encoder.layers);
  g.at("bidirectional").get_to(config.encoder.bidirectional);
  g.at("encoder_embedding").get_to(config.encoder.embedding_size);
  g.at("encoder_hidden").get_to(config.encoder.hidden_size);
  g.at("cell").get_to(config.decoder.cell);
  g.at("decoder_layers").get_to(config.decoder.layers);
  g.at("decoder_embedding").get_to(config.decoder.embedding_size);
  g.at("decoder_hidden").get_to(config.decoder.hidden_size);
  g.at("score").get_to(config.decoder.attention.score);
  g.at("query").get_to(config.decoder.attention.query);
  g.at("context").get_to(config.decoder.attention.context);
  g.at("attention_size").get_to(config.decoder.attention.size);
  g.at("input_feeding").get_to(config.decoder.input_feeding);
  g.at("init").get_to(config.decoder.init);
  g.at("tied").get_to(config.tied_embeddings);
  config.scale_embeddings = g.at("scale_embeddings").get<bool>() ? "true" : "false";
  return config;
}

void read_side(const nlohmann::json& g, EncoderConfig& side) {
  g.at("cell").get_to(side.cell);
  g.at("bidirectional").get_to(side.bidirectional);
  g.at("embedding_size").get_to(side.embedding_size);
  g.at("hidden_size").get_to(side.hidden_size);
}

void read_side(const nlohmann::json& g, DecoderConfig& side) {
  g.at("cell").get_to(side.cell);
  g.at("embedding_size").get_to(side.embedding_size);
  g.at("hidden_size").get_to(side.hidden_size);
  g.at("input_feeding").get_to(side.input_feeding);
  g.at("init").get_to(side.init);
  const nlohmann::json& attention = g.at("attention");
  attention.at("score").get_to(side.attention.score);
  attention.at("query").get_to(side.attention.query);
  attention.at("context").get_to(side.attention.context);
  attention.at("size").get_to(side.attention.size);
}

template <class Side>
void read_any_side(const nlohmann::json& g, Side& side) {
  g.at("type").get_to(side.type);
  g.at("layers").get_to(side.layers);
  if (side.recurrent()) return read_side(g, side);
  TransformerConfig& t = side.transformer;
  g.at("model_size").get_to(t.model_size);
  g.at("heads").get_to(t.heads);
  g.at("ffn_size").get_to(t.ffn_size);
  g.at("norm").get_to(t.norm);
  g.at("activation").get_to(t.activation);
  g.at("positions").get_to(t.positions);
  g.at("max_positions").get_to(t.max_positions);
}

/// transformers.json: each side as in a configuration file.
ModelConfig model_config(const nlohmann::json& g) {
  if (!g.contains("encoder")) return recurrent_config(g);
  ModelConfig config;
  read_any_side(g.at("encoder"), config.encoder);
  read_any_side(g.at("decoder"), config.decoder);
  g.at("tied").get_to(config.tied_embeddings);
  g.at("scale_embeddings").get_to(config.scale_embeddings);
  return config;
}

Batch batch_of(const nlohmann::json& golden) {
  Batch batch;
  for (const nlohmann::json& s : golden.at("source")) batch.source.add(s.get<std::vector<TokenId>>());
  for (const nlohmann::json& s : golden.at("target")) batch.target.add(s.get<std::vector<TokenId>>());
  for (Index i = 0; i < batch.source.count(); ++i) batch.line.push_back(static_cast<std::uint64_t>(i));
  return batch;
}

/// As the script trains: plain SGD, or Adam.
OptimizerOptions optimizer_options(const std::string& kind) {
  OptimizerOptions options;
  options.type = kind;
  options.learning_rate = kind == "sgd" ? 0.1 : 0.01;
  options.beta2 = 0.98;
  return options;
}

void check_model(const nlohmann::json& golden) {
  SCOPED_TRACE(golden.at("name").get<std::string>());
  const nlohmann::json& config = golden.at("config");
  Seq2Seq model(model_config(config), config.at("source_vocabulary").get<Index>(),
                config.at("target_vocabulary").get<Index>());
  const nlohmann::json& tensors = golden.at("parameters");
  EXPECT_EQ(model.params().params().size(), tensors.size());
  set_parameters(model.params(), tensors);
  if (::testing::Test::HasFatalFailure()) return;

  const Batch batch = batch_of(golden);
  const auto smoothing = golden.at("smoothing").get<double>();
  const auto loss = golden.at("loss").get<double>();
  Workspace workspace;
  std::vector<Real> gradient(model.params().size());
  const LossSums sums = model.forward_backward(model.values(), batch, {}, smoothing, {gradient.data()}, workspace);
  EXPECT_NEAR(sums.loss, loss, kGoldenBound * loss);
  EXPECT_NEAR(model.evaluate(model.values(), batch, smoothing, {}, workspace).loss, loss, kGoldenBound * loss);
  expect_golden_gradients(model.params(), gradient, tensors);

  const OptimizerOptions options = optimizer_options(golden.at("optimizer").get<std::string>());
  Optimizer optimizer(options, model.params());
  std::int64_t update = 0;
  const double scale = 1 / static_cast<double>(batch.labels());
  for (const double expected : golden.at("losses").get<std::vector<double>>()) {
    std::fill(gradient.begin(), gradient.end(), Real(0));
    workspace.reset();
    const LossSums step = model.forward_backward(model.values(), batch, {}, smoothing, {gradient.data()}, workspace);
    ASSERT_NEAR(step.loss * scale, expected, kGoldenLossBound * expected);
    EXPECT_TRUE(optimizer.apply(++update, options.learning_rate, gradient.data(), scale, model.params().data()));
  }
}

void check_models(const std::string& file, std::size_t least) {
  const nlohmann::json goldens = read_golden(file);
  EXPECT_GE(goldens.size(), least);
  for (const nlohmann::json& golden : goldens) {
    check_model(golden);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(ModelGolden, LossGradientsAndTenUpdatesMatchPyTorch) { check_models("models.json", 17); }

TEST(TransformerGolden, LossGradientsAndTenUpdatesMatchPyTorch) { check_models("transformers.json", 9); }

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
