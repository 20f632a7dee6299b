// Subword sampling: other pieces in each epoch, window and seed, and nothing else that changes them.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "data/batches.h"
#include "data/temp_files.h"

namespace dragoman {
namespace {

using testing::epoch_of;
using testing::expect_equal;
using testing::take;
using testing::TempFiles;

/// 40 lines of words that SentencePiece can cut in several ways.
struct SubwordSample {
  TempFiles files;
  std::unique_ptr<Corpus> corpus;
  TokenizerPair tokenizers;

  explicit SubwordSample(const std::string& model_type) {
    std::string text;
    for (int i = 0; i < 40; ++i) text += "banana " + std::string(1 + i % 5, 'a' + i % 3) + "nanas bandana cabana\n";
    const std::string path = files.write("a", text);
    corpus = std::make_unique<Corpus>(ParallelFiles{{path}, {path}, {}});
    TokenizerOptions options;
    options.model_type = model_type;
    options.vocab_size = 30;
    tokenizers = train_tokenizers(options, *corpus, "clean", 1, nullptr);
  }
  [[nodiscard]] PairEncoder encoder(double alpha) const {
    return {*corpus, tokenizers, {.sampling = {.alpha = alpha}}};
  }
};

TEST(Sampling, TakesOtherPiecesOfTheSameTextInEachEpoch) {
  for (const std::string model_type : {"bpe", "unigram"}) {
    SCOPED_TRACE(model_type);
    const SubwordSample sample(model_type);
    const WindowOptions options{7, 400, 100};
    Batcher plain(sample.encoder(0), options), sampled(sample.encoder(0.4), options);
    const auto sizes = [](const std::vector<TrainingBatch>& batches) {
      Index tokens = 0;
      for (const TrainingBatch& item : batches) tokens += item.batch.source.tokens();
      return tokens;
    };
    const std::vector<TrainingBatch> once = epoch_of(plain), first = epoch_of(sampled), second = epoch_of(sampled);
    EXPECT_NE(sizes(first), sizes(once));
    const auto lines = [&](const std::vector<TrainingBatch>& batches) {
      std::multiset<std::string> all;
      for (const TrainingBatch& item : batches) {
        for (Index i = 0; i < item.batch.count(); ++i) {
          all.insert(sample.tokenizers.source->decode(item.batch.source[i]));
        }
      }
      return all;
    };
    EXPECT_EQ(lines(first), lines(once));
    EXPECT_EQ(lines(second), lines(once));
    std::multiset<std::vector<TokenId>> a, b;
    for (const TrainingBatch& item : first) a.insert(item.batch.source.ids);
    for (const TrainingBatch& item : second) b.insert(item.batch.source.ids);
    EXPECT_NE(a, b);
  }
}

// One line: its order can't hide that the pieces are the same.
TEST(Sampling, TakesOtherPiecesOfOneLineInEachEpochWithEachSeed) {
  for (const std::string model_type : {"bpe", "unigram"}) {
    SCOPED_TRACE(model_type);
    const SubwordSample sample(model_type);
    const TempFiles files;
    const std::string path = files.write("one", "banana ananas bandana cabana\n");
    const Corpus corpus(ParallelFiles{{path}, {path}, {}});
    const PairEncoder encoder(corpus, sample.tokenizers, {.sampling = {.alpha = 0.4}});
    std::set<std::vector<TokenId>> by_epoch, by_seed;
    Batcher batcher(encoder, {7, 400, 100});
    for (int epoch = 0; epoch < 6; ++epoch) by_epoch.insert(epoch_of(batcher).at(0).batch.source.ids);
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      Batcher other(encoder, {seed, 400, 100});
      by_seed.insert(other.next().batch.source.ids);
    }
    EXPECT_GE(by_epoch.size(), 4U);
    EXPECT_GE(by_seed.size(), 4U);
  }
}

TEST(Sampling, TakesOtherPiecesInEachWindow) {
  const SubwordSample sample("unigram");
  const TempFiles files;
  std::string text;
  for (int i = 0; i < 6; ++i) text += "banana ananas bandana cabana\n";
  const std::string path = files.write("same", text);
  const Corpus corpus(ParallelFiles{{path}, {path}, {}});
  Batcher batcher({corpus, sample.tokenizers, {.sampling = {.alpha = 0.4}}}, {7, 1, 1});
  std::set<std::vector<TokenId>> pieces;
  for (const TrainingBatch& item : epoch_of(batcher)) pieces.insert(item.batch.source.ids);
  EXPECT_GE(pieces.size(), 4U);
}

TEST(Sampling, DependsOnNothingButSeedEpochAndWindow) {
  for (const std::string model_type : {"bpe", "unigram"}) {
    SCOPED_TRACE(model_type);
    const SubwordSample sample(model_type);
    const WindowOptions options{7, 60, 11};
    Batcher whole(sample.encoder(0.4), options);
    const std::vector<TrainingBatch> batches = take(whole, 40);
    for (const std::size_t prefetch : {0, 1, 3}) {
      for (std::size_t begin = 0; begin < 30; begin += 7) {
        const BatchPosition start = begin == 0 ? BatchPosition{} : batches[begin - 1].after;
        Batcher part(sample.encoder(0.4), options, start, prefetch);
        for (std::size_t i = begin; i < begin + 10; ++i) expect_equal(part.next(), batches[i]);
      }
    }
    WindowOptions other = options;
    other.seed = 8;
    Batcher differs(sample.encoder(0.4), other);
    EXPECT_NE(differs.next().batch.source.ids, batches[0].batch.source.ids);
  }
}

}  // namespace
}  // namespace dragoman
