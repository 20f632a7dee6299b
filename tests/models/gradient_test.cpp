// Gradient checks of whole models, in double: every cell with every score and query, every option of a Transformer
// layer, hybrids, and the other options pairwise. A failure names the configuration and the parameter.
#include <gtest/gtest.h>

#include "support/model_gradient.h"
#include "support/model_variants.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

#ifdef DRAGOMAN_DOUBLE

const char* const kScores[] = {"none", "dot", "scaled_dot", "general", "additive"};
const char* const kQueries[] = {"previous", "between", "current"};

class ModelGradient : public ::testing::TestWithParam<std::string> {};

TEST_P(ModelGradient, MatchesDifferencesForEveryScoreAndQuery) {
  for (const char* score : kScores) {
    for (const char* query : kQueries) {
      for (const bool feeding : {false, true}) {
        if (feeding && std::string(query) != "current") continue;
        ModelConfig config = tiny_config();
        config.encoder.cell = config.decoder.cell = GetParam();
        config.decoder.attention.score = score;
        config.decoder.attention.query = query;
        config.decoder.input_feeding = feeding;
        if (std::string(score).find("dot") != std::string::npos) config.decoder.hidden_size = 8;
        for (const char* context : {"start", "every_step"}) {
          if (std::string(score) != "none" && std::string(context) == "start") continue;
          config.decoder.attention.context = context;
          check_model(config, std::string(score) + " " + query + (feeding ? " feeding " : " ") + context, false);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(ModelGradient, MatchesDifferencesWithLayersTyingInitialStatesAndDropout) {
  int variant = 0;
  for (const char* query : kQueries) {
    for (const char* init : {"bridge", "last", "zero"}) {
      for (const char* tied : {"none", "target", "all"}) {
        ++variant;
        ModelConfig config = tiny_config();
        config.decoder.cell = GetParam();
        config.encoder.cell = variant % 2 == 0 ? GetParam() : variant % 4 == 1 ? "lstm" : "gru";
        config.encoder.layers = 1 + variant % 2;
        config.decoder.layers = 1 + variant % 3;
        config.encoder.bidirectional = variant % 3 != 0;
        config.decoder.attention.query = query;
        config.decoder.attention.score = variant % 2 == 0 ? "general" : "additive";
        config.decoder.input_feeding = std::string(query) == "current" && variant % 2 == 0;
        config.decoder.init = init;
        if (std::string(init) == "last") {
          config.decoder.hidden_size = config.encoder.hidden_size * (config.encoder.bidirectional ? 2 : 1);
        }
        config.tied_embeddings = tied;
        if (std::string(tied) == "all") config.encoder.embedding_size = config.decoder.embedding_size;
        config.scale_embeddings = variant % 2 == 1 ? "true" : "false";
        config.dropout = {0.2, 0.3, 0.25, 0.15};
        check_model(config, std::string(query) + " " + init + " " + tied + " variant " + std::to_string(variant), true);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(TransformerGradient, MatchesDifferencesForEveryOption) {
  for (const ModelVariant& variant : transformer_variants()) {
    check_model(variant.config, variant.name, false);
    if (HasFatalFailure()) return;
  }
}

TEST(TransformerGradient, MatchesDifferencesForEveryOptionWithDropout) {
  for (ModelVariant& variant : transformer_variants()) {
    variant.config.dropout = {0.2, 0.3, 0.25, 0.15, 0.1, 0.3, 0.2};
    check_model(variant.config, variant.name, true);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Cells, ModelGradient, ::testing::Values("rnn", "gru", "lstm"),
                         [](const auto& info) { return info.param; });

#endif

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
