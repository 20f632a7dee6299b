// Operations counted by hand for the models that are measured.
#include "train/flops.h"

#include <gtest/gtest.h>

#include "models/seq2seq.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr Index kVocabulary = 8000;
constexpr UpdateRows kRows{100, 120, 10};
constexpr double kSource = 100, kTarget = 120, kSentences = 10;

double flops_of(const ModelConfig& config) {
  return update_flops(Seq2Seq(config, kVocabulary, kVocabulary).params(), kRows);
}

TEST(UpdateFlops, OfATransformerCountEveryMatrixOnce) {
  ModelConfig config;
  config.tied_embeddings = "all";
  config.encoder.type = config.decoder.type = "transformer";
  config.encoder.layers = config.decoder.layers = 3;
  for (TransformerConfig* side : {&config.encoder.transformer, &config.decoder.transformer}) {
    side->model_size = 256;
    side->ffn_size = 1024;
    side->positions = "learned";
  }
  const double square = 256 * 256;
  const double ffn = 2 * 256 * 1024;
  const double expected = kSource * 3 * (4 * square + ffn) + kTarget * 3 * (4 * square + ffn) +  // self-attention, ffn
                          kTarget * 3 * 2 * square + kSource * 3 * 2 * square +                  // encoder-decoder
                          kTarget * 256 * kVocabulary;
  EXPECT_DOUBLE_EQ(flops_of(config), 6 * expected);
}

TEST(UpdateFlops, OfARecurrentModelCountKeysBySourceAndTheBridgeBySentence) {
  ModelConfig config;
  config.tied_embeddings = "none";
  config.encoder.embedding_size = 64;
  config.encoder.hidden_size = 96;  // a direction
  config.decoder.embedding_size = 80;
  config.decoder.hidden_size = 112;
  config.decoder.attention.score = "additive";
  config.decoder.attention.query = "previous";
  config.decoder.attention.size = 48;
  const double gates = 3;  // GRU
  const double encoder = 2 * (64 + 96) * gates * 96;
  const double decoder = (80 + 192 + 112) * gates * 112 + 112 * 48 + (112 + 192 + 80) * 112 + 112 * kVocabulary;
  EXPECT_DOUBLE_EQ(flops_of(config), 6 * (kSource * (encoder + 192 * 48) + kTarget * decoder + kSentences * 192 * 112));
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
