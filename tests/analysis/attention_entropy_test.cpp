// The entropy of attention: against sums by hand, and of maps that are known.
#include "analysis/attention_entropy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/parallel.h"
#include "support/tiny_model.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

Seq2Seq model_of(const ModelConfig& config) {
  Seq2Seq model(config, kSourceVocabulary, kTargetVocabulary);
  model.params().initialize(7);
  return model;
}

ModelConfig transformer() {
  ModelConfig config = tiny_config();
  make_transformer(config, true, true);
  return config;
}

/// The same by hand: the mean over queries of a map kind, layer and head of all sentences.
HeadEntropy by_hand(const std::vector<std::vector<AttentionMap>>& sentences, std::size_t m) {
  HeadEntropy mean{sentences[0][m].kind, sentences[0][m].layer, sentences[0][m].head};
  int queries = 0;
  for (const auto& maps : sentences) {
    const AttentionMap& map = maps[m];
    for (Index q = 0; q < map.queries; ++q) {
      const Index n = mean.kind == "decoder" ? q + 1 : map.keys;
      if (n == 1) continue;
      double entropy = 0, largest = 0;
      for (Index k = 0; k < map.keys; ++k) {
        const double a = map.weights[static_cast<std::size_t>(q * map.keys + k)];
        if (a > 0) entropy -= a * std::log(a);
        largest = std::max(largest, a);
      }
      mean.entropy += entropy / std::log(n);
      mean.largest += largest;
      ++queries;
    }
  }
  mean.entropy /= queries;
  mean.largest /= queries;
  return mean;
}

TEST(AttentionEntropy, IsTheMeanOverQueriesOfEachLayerAndHead) {
  const Seq2Seq model = model_of(transformer());
  const Batch batch = tiny_batch();
  const auto heads = attention_entropy(model, model.values(), {batch});
  Workspace workspace;
  const auto maps = model.attention(model.values(), batch, workspace);
  ASSERT_EQ(heads.size(), 2U * 3 + 2 * 2 + 2 * 2);  // encoder, decoder and cross: layers x heads
  for (std::size_t m = 0; m < heads.size(); ++m) {
    const HeadEntropy hand = by_hand(maps, m);
    EXPECT_EQ(heads[m].kind, hand.kind);
    EXPECT_EQ(heads[m].layer, hand.layer);
    EXPECT_EQ(heads[m].head, hand.head);
    EXPECT_NEAR(heads[m].entropy, hand.entropy, 1e-12);
    EXPECT_NEAR(heads[m].largest, hand.largest, 1e-12);
    EXPECT_GT(heads[m].entropy, 0);
    EXPECT_LE(heads[m].entropy, 1 + 1e-6);
  }
}

TEST(AttentionEntropy, IsOneWhereAllKeysAreAlikeAndOnlyThereTheSourceIsIgnored) {
  Seq2Seq model = model_of(transformer());
  for (const Param& p : model.params().params()) {  // queries of zero
    const bool cross_query = p.name.find(".cross.query") != std::string::npos;
    if (cross_query) std::fill_n(model.params().data() + p.ref.offset, p.ref.rows * p.ref.cols, Real{0});
  }
  const auto heads = attention_entropy(model, model.values(), {tiny_batch()});
  double share = 0;  // of the mean largest weight: 1 / n
  const Batch batch = tiny_batch();
  for (Index i = 0; i < batch.count(); ++i) {
    share += static_cast<double>(batch.target.length(i)) / static_cast<double>(batch.source.length(i));
  }
  share /= static_cast<double>(batch.labels());
  for (const HeadEntropy& head : heads) {
    if (head.kind != "cross") continue;
    EXPECT_NEAR(head.entropy, 1, 1e-6);
    EXPECT_NEAR(head.largest, share, 1e-6);
  }
  EXPECT_TRUE(ignores_source(heads));
  auto one_looks = heads;
  one_looks.back().entropy = 0.5;
  EXPECT_EQ(one_looks.back().kind, "cross");
  EXPECT_FALSE(ignores_source(one_looks));
  EXPECT_FALSE(ignores_source({}));
}

TEST(AttentionEntropy, OfARecurrentDecoderIsOneHeadAndWithoutAttentionNone) {
  ModelConfig config = tiny_config();
  const Seq2Seq additive = model_of(config);
  const auto heads = attention_entropy(additive, additive.values(), {tiny_batch()});
  ASSERT_EQ(heads.size(), 1U);
  EXPECT_EQ(heads[0].kind, "cross");
  config.decoder.attention = {"none", "previous", "every_step", 0};
  const Seq2Seq none = model_of(config);
  EXPECT_TRUE(attention_entropy(none, none.values(), {tiny_batch()}).empty());
}

TEST(AttentionEntropy, IsTheSameForAnyNumberOfThreads) {
  const Seq2Seq model = model_of(transformer());
  const std::vector<Batch> batches(5, tiny_batch());
  const int before = max_threads();
  std::vector<std::vector<HeadEntropy>> results;
  for (const int threads : {1, 2, 3}) {
    set_threads(threads);
    results.push_back(attention_entropy(model, model.values(), batches));
  }
  set_threads(before);
  const auto one = attention_entropy(model, model.values(), {tiny_batch()});  // five of it have the same mean
  for (std::size_t m = 0; m < results[0].size(); ++m) {
    EXPECT_NEAR(results[0][m].entropy, one[m].entropy, 1e-12);
    EXPECT_NEAR(results[0][m].largest, one[m].largest, 1e-12);
    EXPECT_EQ(results[0][m].entropy, results[1][m].entropy);
    EXPECT_EQ(results[0][m].entropy, results[2][m].entropy);
    EXPECT_EQ(results[0][m].largest, results[2][m].largest);
  }
}

TEST(AttentionEntropy, LeavesOutBatchesWhoseMapsWouldBeLarge) {
  ModelConfig config = transformer();
  config.encoder.transformer.max_positions = config.decoder.transformer.max_positions = 2000;
  const Seq2Seq model = model_of(config);
  Batch longer;
  longer.source = random_sentences({1025}, kSourceVocabulary, 1);
  longer.target = random_sentences({3}, kTargetVocabulary, 2);
  EXPECT_TRUE(attention_entropy(model, model.values(), {longer}).empty());
  const auto with = attention_entropy(model, model.values(), {longer, tiny_batch()});
  const auto without = attention_entropy(model, model.values(), {tiny_batch()});
  ASSERT_EQ(with.size(), without.size());
  for (std::size_t m = 0; m < with.size(); ++m) EXPECT_EQ(with[m].entropy, without[m].entropy);
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
