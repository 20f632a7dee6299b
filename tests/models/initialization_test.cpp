// How the parameters of whole models start, and which of them decay.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "models/seq2seq.h"
#include "support/model_variants.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr Index kWidth = 64, kVocabulary = 500;

double deviation(const ModelConfig& config, const std::string& name) {
  Seq2Seq model(config, kVocabulary, kVocabulary);
  model.params().initialize(1);
  const Param* p = model.params().find(name);
  if (p == nullptr) return 0;
  double squares = 0;
  const Index n = p->ref.rows * p->ref.cols;
  for (Index i = 0; i < n; ++i) squares += std::pow(static_cast<double>(model.values().base[p->ref.offset + i]), 2);
  return std::sqrt(squares / static_cast<double>(n));
}

ModelConfig recurrent(const std::string& tied, const std::string& scaled) {
  ModelConfig config;
  config.encoder.embedding_size = config.decoder.embedding_size = kWidth;
  config.encoder.hidden_size = config.decoder.hidden_size = 8;
  config.tied_embeddings = tied;
  config.scale_embeddings = scaled;
  return config;
}

ModelConfig transformer(const std::string& scaled) {
  ModelConfig config;
  make_transformer(config, true, true);
  config.init = {};
  for (TransformerConfig* side : {&config.encoder.transformer, &config.decoder.transformer}) {
    side->model_size = kWidth;
    side->heads = 2;
    side->positions = "learned";
    side->max_positions = 400;
  }
  config.scale_embeddings = scaled;
  return config;
}

// 0.125 = 64^-0.5
TEST(Initialization, EmbeddingsOfWidth64StartWithTheDeviationOfTheirUse) {
  constexpr double kBound = 0.003;
  EXPECT_NEAR(deviation(recurrent("none", "auto"), "encoder.embedding"), 0.1, kBound);
  EXPECT_NEAR(deviation(recurrent("none", "auto"), "decoder.embedding"), 0.1, kBound);
  EXPECT_NEAR(deviation(recurrent("none", "true"), "encoder.embedding"), 0.125, kBound);
  EXPECT_NEAR(deviation(recurrent("none", "true"), "decoder.embedding"), 0.125, kBound);
  EXPECT_NEAR(deviation(recurrent("target", "auto"), "encoder.embedding"), 0.1, kBound);
  EXPECT_NEAR(deviation(recurrent("target", "auto"), "decoder.embedding"), 0.125, kBound);
  EXPECT_NEAR(deviation(recurrent("all", "auto"), "embedding"), 0.125, kBound);
  EXPECT_NEAR(deviation(transformer("auto"), "encoder.embedding"), 0.125, kBound);
  EXPECT_NEAR(deviation(transformer("false"), "encoder.embedding"), 0.1, kBound);
  EXPECT_NEAR(deviation(transformer("false"), "decoder.embedding"), 0.1, kBound);
  for (const char* side : {"encoder", "decoder"}) {
    EXPECT_NEAR(deviation(transformer("auto"), std::string(side) + ".positions"), 0.1, kBound);
  }
  ModelConfig given = recurrent("all", "true");
  given.init.embedding_deviation = 0.7;
  EXPECT_NEAR(deviation(given, "embedding"), 0.7, 0.01);
}

TEST(Initialization, XavierMatricesOfAModelHaveTheFansOfOneGate) {
  for (const auto& [cell, gates] : {std::pair<std::string, Index>{"rnn", 1}, {"gru", 3}, {"lstm", 4}}) {
    ModelConfig config = recurrent("none", "auto");
    config.encoder.cell = config.decoder.cell = cell;
    config.encoder.hidden_size = config.decoder.hidden_size = 32;
    config.init.recurrent = "xavier";
    // Uniform with half-width sqrt(6 / (in + out)) has the deviation sqrt(2 / (in + out)).
    const double bound = 0.01;
    EXPECT_NEAR(deviation(config, "encoder.0.forward.w_x"), std::sqrt(2.0 / (64 + 32)), bound) << cell;
    EXPECT_NEAR(deviation(config, "encoder.0.backward.w_h"), std::sqrt(2.0 / (32 + 32)), bound) << cell;
    EXPECT_NEAR(deviation(config, "decoder.0.w_x"), std::sqrt(2.0 / (64 + 64 + 32)), bound) << cell << " [e; c]";
    EXPECT_NEAR(deviation(config, "decoder.0.w_h"), std::sqrt(2.0 / (32 + 32)), bound) << cell;
  }
}

TEST(WeightDecay, LeavesBiasesAndNormsAloneAndNothingElse) {
  std::set<std::string> kinds_without;
  for (const ModelVariant& variant : model_variants()) {
    const Seq2Seq model(variant.config, source_vocabulary_of(variant.config), kTargetVocabulary);
    for (const Param& p : model.params().params()) {
      const std::string kind = p.name.substr(p.name.rfind('.') + 1);
      const bool spared = kind == "b" || kind == "c_n" || kind == "gain" || kind == "bias";
      EXPECT_EQ(p.decay, !spared) << p.name;
      if (!p.decay) kinds_without.insert(kind);
    }
  }
  EXPECT_EQ(kinds_without, (std::set<std::string>{"b", "c_n", "gain", "bias"}));
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
