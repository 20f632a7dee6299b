// Dropout of whole models: each place masks what it is named after with its own mask, and only while training.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "decode/greedy.h"
#include "kernels/rows.h"
#include "models/seq2seq.h"
#include "support/model_variants.h"
#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr Real kRate = 0.5;
constexpr std::uint64_t kKey = 99, kSentence = 7;

/// Which of `count` neighbors are kept by the only token of a sentence, as 0 and 1.
std::string mask_of(std::uint64_t place, Index count) {
  const std::vector<std::uint64_t> keys = {hash_key({kKey, kSentence, 0})};
  Numbers ones(1, count, 1);
  fill(ones.mat(), 1);
  Dropout{kRate, place}.apply(ones.mat(), keys);
  std::string kept;
  for (const Real x : ones.data) kept += x == 0 ? '0' : '1';
  return kept;
}

/// Rows or columns begin .. begin + count - 1 of a parameter, which get no gradient where the place drops.
struct Share {
  std::string parameter;
  bool rows = false;
  Index begin = 0, count = 0;
};

/// Which rows or columns have a gradient, as 0 and 1, for one token on either side.
std::string with_gradient(const ModelConfig& config, const Share& share) {
  Seq2Seq model(config, kSourceVocabulary, kTargetVocabulary);
  initialize_with_biases(model.params(), 3);
  Batch batch;
  batch.source = random_sentences({1}, kSourceVocabulary, 1);
  batch.target = random_sentences({1}, kTargetVocabulary, 2);
  std::vector<Real> gradient(model.params().size());
  const std::vector<std::uint64_t> ids = {kSentence};
  Workspace workspace;
  model.forward_backward(model.values(), batch, {kKey, ids}, 0.1, {gradient.data()}, workspace);
  const Param* param = model.params().find(share.parameter);
  if (param == nullptr) return "no parameter " + share.parameter;
  const ConstMat g = param->ref.in(Values{gradient.data()});
  std::string found;
  for (Index k = share.begin; k < share.begin + share.count; ++k) {
    bool any = false;
    for (Index j = 0; j < (share.rows ? g.cols : g.rows); ++j) any = any || (share.rows ? g(k, j) : g(j, k)) != 0;
    found += any ? '1' : '0';
  }
  return found;
}

void expect_mask(const ModelConfig& config, const std::string& place, const Share& share) {
  const std::string mask = mask_of(hash_name(place), share.count);
  EXPECT_EQ(mask.find_first_not_of(mask[0]) != std::string::npos, true) << place << ": a mask that shows something";
  EXPECT_EQ(with_gradient(config, share), mask) << place << " in " << share.parameter;
}

constexpr Index kEmbedding = 16, kHidden = 12, kWidth = 16, kInner = 14, kHeads = 8;

ModelConfig recurrent() {
  ModelConfig config = tiny_config();
  config.encoder.layers = config.decoder.layers = 2;
  config.encoder.embedding_size = config.decoder.embedding_size = kEmbedding;
  config.encoder.hidden_size = config.decoder.hidden_size = kHidden;
  return config;
}

ModelConfig transformer() {
  ModelConfig config = tiny_config();
  make_transformer(config, true, true);
  for (TransformerConfig* side : {&config.encoder.transformer, &config.decoder.transformer}) {
    side->model_size = kWidth;
    side->heads = kHeads;
    side->ffn_size = kInner;
    side->activation = "gelu";  // zero nowhere by itself
  }
  return config;
}

TEST(ModelDropout, MasksEmbeddingsOfBothSides) {
  for (ModelConfig config : {recurrent(), transformer()}) {
    config.dropout.embedding = kRate;
    expect_mask(config, "encoder.embedding", {"encoder.embedding", false, 0, kEmbedding});
    expect_mask(config, "decoder.embedding", {"decoder.embedding", false, 0, kEmbedding});
  }
}

TEST(ModelDropout, MasksTheInputOfUpperRecurrentLayers) {
  for (const std::string cell : {"rnn", "gru", "lstm"}) {
    ModelConfig config = recurrent();
    config.encoder.cell = config.decoder.cell = cell;
    config.dropout.layers = kRate;
    expect_mask(config, "encoder.1.input", {"encoder.1.forward.w_x", true, 0, 2 * kHidden});
    expect_mask(config, "encoder.1.input", {"encoder.1.backward.w_x", true, 0, 2 * kHidden});
    expect_mask(config, "decoder.1.input", {"decoder.1.w_x", true, 0, kHidden});
    EXPECT_EQ(with_gradient(config, {"encoder.0.forward.w_x", true, 0, kEmbedding}), std::string(kEmbedding, '1'));
    EXPECT_EQ(with_gradient(config, {"decoder.0.w_x", true, 0, kEmbedding}), std::string(kEmbedding, '1'));
  }
}

TEST(ModelDropout, MasksWhatAttentionReads) {
  ModelConfig config = recurrent();
  config.dropout.context = kRate;
  expect_mask(config, "encoder.context", {"decoder.readout.w", true, kHidden, 2 * kHidden});  // [s; c; e]
  config = transformer();
  config.dropout.context = kRate;
  expect_mask(config, "encoder.context", {"decoder.0.cross.value.w", true, 0, kWidth});
  expect_mask(config, "encoder.context", {"decoder.1.cross.value.w", true, 0, kWidth});
}

TEST(ModelDropout, MasksTheReadout) {
  ModelConfig config = recurrent();
  config.dropout.readout = kRate;
  expect_mask(config, "decoder.readout", {"output.w", true, 0, kHidden});
  expect_mask(config, "decoder.readout", {"decoder.readout.b", false, 0, kHidden});
  config = transformer();
  config.dropout.readout = kRate;
  expect_mask(config, "decoder.readout", {"output.w", true, 0, kWidth});
}

TEST(ModelDropout, MasksWhatEverySubLayerAdds) {
  for (const std::string norm : {"post", "pre"}) {
    ModelConfig config = transformer();
    config.encoder.transformer.norm = config.decoder.transformer.norm = norm;
    config.dropout.residual = kRate;
    for (const std::string layer : {"0", "1"}) {
      for (const std::string& block :
           {"encoder." + layer + ".self", "decoder." + layer + ".self", "decoder." + layer + ".cross"}) {
        expect_mask(config, block + ".residual", {block + ".output.b", false, 0, kWidth});
      }
      for (const std::string& block : {"encoder." + layer + ".ffn", "decoder." + layer + ".ffn"}) {
        expect_mask(config, block + ".residual", {block + ".second.b", false, 0, kWidth});
      }
    }
  }
}

TEST(ModelDropout, MasksTheInsideOfFeedForwardLayers) {
  ModelConfig config = transformer();
  config.dropout.ffn = kRate;
  for (const std::string block : {"encoder.0.ffn", "encoder.1.ffn", "decoder.0.ffn", "decoder.1.ffn"}) {
    expect_mask(config, block, {block + ".second.w", true, 0, kInner});
  }
}

TEST(ModelDropout, MasksTheWeightsOfEveryHead) {
  ModelConfig config = transformer();
  config.dropout.attention = kRate;
  for (const std::string block :
       {"encoder.0.self", "encoder.1.self", "decoder.0.self", "decoder.0.cross", "decoder.1.self", "decoder.1.cross"}) {
    std::string mask;  // the only weight of each head, which all of its columns share
    for (std::uint64_t head = 0; head < kHeads; ++head) {
      mask += std::string(kWidth / kHeads, mask_of(hash_key({hash_name(block), head}), 1)[0]);
    }
    EXPECT_NE(mask.find_first_not_of(mask[0]), std::string::npos) << block << ": a mask that shows something";
    EXPECT_EQ(with_gradient(config, {block + ".value.w", false, 0, kWidth}), mask) << block;
  }
}

// Other masks are another training from the same seed: such a change must be meant.
TEST(ModelDropout, MasksHaveNotChanged) {
  EXPECT_EQ(mask_of(hash_name("encoder.embedding"), 16), "0101110000000101");
  EXPECT_EQ(mask_of(hash_name("decoder.embedding"), 16), "0100110000001010");
}

void expect_same(const std::vector<std::vector<AttentionMap>>& a, const std::vector<std::vector<AttentionMap>>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].size(), b[i].size());
    for (std::size_t k = 0; k < a[i].size(); ++k) EXPECT_EQ(a[i][k].weights, b[i][k].weights);
  }
}

TEST(ModelDropout, IsAbsentInEvaluationAndDecoding) {
  for (const ModelVariant& variant : model_variants()) {
    SCOPED_TRACE(variant.name);
    const Index vocabulary = source_vocabulary_of(variant.config);
    ModelConfig config = variant.config;
    config.dropout = {kRate, kRate, kRate, kRate, kRate, kRate, kRate};
    Seq2Seq plain(variant.config, vocabulary, kTargetVocabulary), dropping(config, vocabulary, kTargetVocabulary);
    for (Seq2Seq* model : {&plain, &dropping}) initialize_with_biases(model->params(), 3);
    const Batch batch = tiny_batch(vocabulary);
    std::vector<double> expected(batch.labels()), found(batch.labels());
    Workspace workspace;
    const LossSums sums = plain.evaluate(plain.values(), batch, 0.1, expected, workspace);
    EXPECT_EQ(dropping.evaluate(dropping.values(), batch, 0.1, found, workspace).loss, sums.loss);
    EXPECT_EQ(found, expected);
    expect_same(dropping.attention(dropping.values(), batch, workspace),
                plain.attention(plain.values(), batch, workspace));
    DecodeOptions options;
    options.max_length_extra = 3;
    options.min_length = 3;
    workspace.reset();
    const auto plain_search = greedy_search(plain, plain.values(), batch.source, options, workspace);
    workspace.reset();
    const auto search = greedy_search(dropping, dropping.values(), batch.source, options, workspace);
    for (std::size_t i = 0; i < search.size(); ++i) {
      EXPECT_EQ(search[i].ids, plain_search[i].ids);
      EXPECT_EQ(search[i].log_prob, plain_search[i].log_prob);
    }
    std::vector<Real> unused(dropping.params().size());
    const std::vector<std::uint64_t> ids = {1, 2, 3};
    EXPECT_NE(dropping.forward_backward(dropping.values(), batch, {1, ids}, 0.1, {unused.data()}, workspace).loss,
              sums.loss);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
