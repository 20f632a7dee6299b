#include "data/batcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/rng.h"
#include "data/batches.h"
#include "data/data_examiner.h"
#include "data/temp_files.h"

namespace dragoman {
namespace {

using testing::contains;
using testing::epoch_of;
using testing::expect_equal;
using testing::take;
using testing::TempFiles;
using testing::user_error;

/// 103 pairs of which 12 are dropped: lines 0, 10, 20 ... (empty source) and line 55 (too long).
struct Sample {
  static constexpr std::size_t kLines = 103;
  TempFiles files;
  std::set<std::uint64_t> kept;
  std::unique_ptr<Corpus> corpus;
  std::unique_ptr<PairEncoder> encoder;

  Sample() {
    Rng rng(4);
    std::string source;
    std::string target;
    const auto words = [&](std::size_t n) {
      std::string text;
      for (std::size_t i = 0; i < n; ++i) text += "w" + std::to_string(rng.below(30)) + " ";
      return text;
    };
    for (std::size_t i = 0; i < kLines; ++i) {
      const bool empty = i % 10 == 0;
      if (!empty && i != 55) kept.insert(i);
      source += words(empty ? 0 : 1 + rng.below(9)) + "\n";
      target += words(i == 55 ? 21 : i == 77 ? 20 : 1 + rng.below(9)) + "\n";
    }
    corpus = std::make_unique<Corpus>(ParallelFiles{{files.write("a", source)}, {files.write("b", target)}, {}});
    TokenizerOptions options;
    options.type = "word";
    encoder = std::make_unique<PairEncoder>(*corpus, train_tokenizers(options, *corpus, "clean", 1, nullptr),
                                            FilterOptions{20, "skip", "clean"});
  }
};

constexpr WindowOptions kOptions{7, 16, 20};

std::size_t pairs_of(const std::vector<TrainingBatch>& batches) {
  std::size_t pairs = 0;
  for (const TrainingBatch& item : batches) pairs += item.batch.line.size();
  return pairs;
}

TEST(Batcher, CoversEveryKeptLineOnceAnEpoch) {
  const Sample sample;
  Batcher batcher(*sample.encoder, kOptions);
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    std::multiset<std::uint64_t> seen;
    for (const TrainingBatch& item : epoch_of(batcher)) seen.insert(item.batch.line.begin(), item.batch.line.end());
    EXPECT_EQ(seen, std::multiset<std::uint64_t>(sample.kept.begin(), sample.kept.end()));
  }
}

TEST(Batcher, KeepsToTheLimitOfLabels) {
  const Sample sample;
  Batcher batcher(*sample.encoder, kOptions);
  bool saw_long = false;
  for (const TrainingBatch& item : epoch_of(batcher)) {
    const Batch& batch = item.batch;
    ASSERT_GT(batch.count(), 0);
    if (batch.labels() > 16) {
      EXPECT_EQ(batch.line, std::vector<std::uint64_t>{77});  // 20 words and eos
      saw_long = true;
    }
    for (Index i = 0; i < batch.count(); ++i) {
      EXPECT_EQ(batch.source[i].back(), kEos);
      EXPECT_EQ(batch.target[i].back(), kEos);
      EXPECT_EQ(std::count(batch.target[i].begin(), batch.target[i].end(), kEos), 1);
    }
  }
  EXPECT_TRUE(saw_long);
}

TEST(Batcher, SortsByLengthWithinAWindowAndFillsBatches) {
  const Sample sample;
  WindowMaker maker(*sample.encoder, kOptions, 0, 0);
  const Window window = maker.next();
  std::vector<std::pair<Index, Index>> lengths;  // of the first and last target of each batch
  std::size_t pairs = 0;
  for (const Batch& batch : window.batches) {
    pairs += batch.line.size();
    for (Index i = 1; i < batch.count(); ++i) {
      const auto key = [&](Index k) {
        return std::tuple(batch.target.length(k), batch.source.length(k), batch.line[k]);
      };
      EXPECT_LT(key(i - 1), key(i));
    }
    lengths.emplace_back(batch.target.length(0), batch.target.length(batch.count() - 1));
  }
  EXPECT_LE(pairs, kOptions.window);
  EXPECT_FALSE(std::is_sorted(lengths.begin(), lengths.end()));  // the batches are shuffled
  std::sort(lengths.begin(), lengths.end());
  for (std::size_t i = 1; i < lengths.size(); ++i) EXPECT_LE(lengths[i - 1].second, lengths[i].first);
}

TEST(Batcher, EpochsAndSeedsDiffer) {
  const Sample sample;
  const auto lines = [&](std::uint64_t seed, std::uint64_t epoch) {
    WindowOptions options = kOptions;
    options.seed = seed;
    Batcher batcher(*sample.encoder, options, {epoch, 0, 0});
    std::vector<std::uint64_t> all;
    for (const TrainingBatch& item : epoch_of(batcher)) {
      all.insert(all.end(), item.batch.line.begin(), item.batch.line.end());
    }
    return all;
  };
  EXPECT_EQ(lines(1, 0), lines(1, 0));
  EXPECT_NE(lines(1, 0), lines(1, 1));
  EXPECT_NE(lines(1, 0), lines(2, 0));
}

TEST(Batcher, EachEpochPermutesTheLinesAnew) {
  const Sample sample;
  WindowOptions options = kOptions;
  options.batch_tokens = 1;  // a batch a line: nothing else changes the order
  options.window = 1;
  const auto epoch = [&](std::uint64_t number) {
    Batcher batcher(*sample.encoder, options, {number, 0, 0});
    std::vector<std::uint64_t> lines;
    for (const TrainingBatch& item : epoch_of(batcher)) lines.push_back(item.batch.line[0]);
    return lines;
  };
  const std::vector<std::uint64_t> first = epoch(0), second = epoch(1);
  EXPECT_FALSE(std::is_sorted(first.begin(), first.end()));
  EXPECT_NE(first, second);
  EXPECT_NE(second, epoch(2));
  EXPECT_TRUE(std::is_permutation(first.begin(), first.end(), second.begin(), second.end()));
}

TEST(Batcher, EachEpochAndWindowShufflesItsBatchesAnew) {
  TempFiles files;
  std::string text;
  for (int i = 0; i < 30; ++i) {
    for (int word = 0; word <= i % 15; ++word) text += "w ";
    text += "\n";
  }
  const std::string path = files.write("a", text);
  const Corpus corpus(ParallelFiles{{path}, {path}, {}});
  TokenizerOptions tokenizer;
  tokenizer.type = "word";
  const PairEncoder encoder(corpus, train_tokenizers(tokenizer, corpus, "clean", 1, nullptr), FilterOptions{});
  const auto lengths = [&](std::uint64_t epoch) {  // of all lines in one window: the same batches in each epoch
    Batcher batcher(encoder, WindowOptions{7, 1, 30}, {epoch, 0, 0});
    std::vector<Index> all;
    for (const TrainingBatch& item : epoch_of(batcher)) all.push_back(item.batch.labels());
    return all;
  };
  EXPECT_EQ(lengths(0).size(), 30U);
  EXPECT_NE(lengths(0), lengths(1));
  EXPECT_NE(lengths(1), lengths(2));
  WindowMaker maker(encoder, WindowOptions{7, 1, 1}, 0, 0);
  EXPECT_EQ(maker.windows_per_epoch(), 30U);
}

TEST(Batcher, PrefetchingChangesNothing) {
  const Sample sample;
  Batcher plain(*sample.encoder, kOptions, {}, 0);
  const auto expected = take(plain, 150);
  for (const std::size_t prefetch : {1, 3}) {
    Batcher batcher(*sample.encoder, kOptions, {}, prefetch);
    for (const TrainingBatch& item : expected) expect_equal(batcher.next(), item);
  }
}

TEST(Batcher, ResumesExactlyFromEveryPosition) {
  const Sample sample;
  Batcher whole(*sample.encoder, kOptions, {}, 0);
  const auto expected = take(whole, 130);  // more than two epochs
  EXPECT_GE(std::count_if(expected.begin(), expected.end(), [](const auto& item) { return item.ends_epoch; }), 2);
  for (std::size_t i = 0; i + 20 < expected.size(); ++i) {
    Batcher resumed(*sample.encoder, kOptions, expected[i].after, i % 2);
    for (std::size_t k = i + 1; k < i + 20; ++k) expect_equal(resumed.next(), expected[k]);
  }
}

TEST(Batcher, SkipsWindowsOfWhichNothingIsKept) {
  const Sample sample;
  WindowOptions options = kOptions;
  options.window = 1;  // windows with nothing, one of them perhaps the last
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    options.seed = seed;
    Batcher batcher(*sample.encoder, options, {}, 0);
    const auto epoch = epoch_of(batcher);
    EXPECT_EQ(epoch.size(), sample.kept.size());
    EXPECT_EQ(epoch.back().after, (BatchPosition{1, 0, 0}));
    Batcher late(*sample.encoder, options, epoch[epoch.size() - 2].after);
    expect_equal(late.next(), epoch.back());
  }
  Batcher beyond(*sample.encoder, options, {0, Sample::kLines, 0});
  EXPECT_EQ(beyond.next().after.epoch, 1u);
}

TEST(Batcher, ReportsTheFirstEpochToAnExaminer) {
  const Sample sample;
  const auto expected = examine(*sample.encoder).lines();
  for (const std::size_t prefetch : {0, 2}) {
    Batcher batcher(*sample.encoder, kOptions, {}, prefetch,
                    std::make_shared<DataExaminer>(*sample.encoder, nullptr, nullptr));
    const auto batches = epoch_of(batcher);
    for (std::size_t i = 0; i + 1 < batches.size(); ++i) EXPECT_FALSE(batches[i].report);
    ASSERT_TRUE(batches.back().report);
    const CorpusReport& report = batches.back().report->pairs;
    EXPECT_EQ(report.lines, Sample::kLines);
    EXPECT_EQ(report.kept, sample.kept.size());
    EXPECT_EQ(report[PairFate::empty_source].count, 11u);
    EXPECT_EQ(report[PairFate::empty_source].first, (std::vector<std::size_t>{0, 10, 20}));
    EXPECT_EQ(report[PairFate::too_long].first, std::vector<std::size_t>{55});
    EXPECT_EQ(batches.back().report->lines(), expected) << "the order of lines doesn't matter";
    EXPECT_FALSE(epoch_of(batcher).back().report) << "the second epoch";
  }
}

TEST(Batcher, ReportsTheWholeFirstEpochAfterAnInterruptionInIt) {
  const Sample sample;
  const auto expected = examine(*sample.encoder).lines();
  for (const std::uint64_t epoch : {0, 1}) {
    Batcher late(*sample.encoder, kOptions, {epoch, 2, 1}, 1,
                 std::make_shared<DataExaminer>(*sample.encoder, nullptr, nullptr));
    const auto report = epoch_of(late).back().report;
    ASSERT_EQ(report.has_value(), epoch == 0);
    if (report) {
      EXPECT_EQ(report->lines(), expected);
    }
    EXPECT_FALSE(epoch_of(late).back().report) << "the next epoch";
  }
}

TEST(Batcher, AnExaminerChangesNoBatch) {
  const Sample sample;
  Batcher plain(*sample.encoder, kOptions);
  Batcher examined(*sample.encoder, kOptions, {}, 1, std::make_shared<DataExaminer>(*sample.encoder, nullptr, nullptr));
  for (int i = 0; i < 150; ++i) expect_equal(plain.next(), examined.next());
}

TEST(Batcher, AWindowMayHoldTheWholeCorpus) {
  const Sample sample;
  Batcher batcher(*sample.encoder, {7, 1'000'000, 1'000'000});
  const TrainingBatch item = batcher.next();
  EXPECT_TRUE(item.ends_epoch);
  EXPECT_EQ(item.batch.line.size(), sample.kept.size());
  EXPECT_EQ(item.after, (BatchPosition{1, 0, 0}));
}

TEST(Batcher, PassesErrorsToTheConsumerEveryTime) {
  const TempFiles files;
  const Corpus corpus({{files.write("a", "a b c\na b c\n")}, {files.write("b", "x\ny\n")}, {}});
  TokenizerOptions words;
  words.type = "word";
  const PairEncoder encoder(corpus, train_tokenizers(words, corpus, "clean", 1, nullptr), {2, "skip", "clean"});
  for (const std::size_t prefetch : {0, 2}) {
    Batcher batcher(encoder, kOptions, {}, prefetch);
    for (int call = 0; call < 2; ++call) {
      const std::string message = user_error([&] { batcher.next(); });
      EXPECT_TRUE(contains(message, "nothing is left to train on") && contains(message, "2 of 2")) << message;
    }
  }
}

TEST(Batcher, PassesErrorsThatComeLater) {
  const TempFiles files;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "w" + std::to_string(i % 50) + "\n";
  const Corpus corpus({{files.write("a", text)}, {files.write("b", text)}, {}});
  TokenizerOptions words;
  words.type = "word";
  Batcher batcher(PairEncoder(corpus, train_tokenizers(words, corpus, "clean", 1, nullptr), {}, 0), {1, 8, 10});
  batcher.next();
  files.write("b", "shorter\n");
  const std::string message = user_error([&] { take(batcher, 5000); });
  EXPECT_TRUE(contains(message, "shorter while it was in use")) << message;
}

TEST(Batcher, ACacheOfAnySizeChangesNothing) {
  const Sample sample;
  Batcher plain(PairEncoder(*sample.corpus, sample.encoder->tokenizers(), {20, "skip", "clean"}, 0), kOptions);
  const auto expected = take(plain, 150);
  for (const std::size_t bytes : {100, 1000, 1'000'000}) {
    const PairEncoder encoder(*sample.corpus, sample.encoder->tokenizers(), {20, "skip", "clean"}, bytes);
    EXPECT_EQ(examine(encoder).pairs.kept, sample.kept.size());
    Batcher batcher(encoder, kOptions);
    for (const TrainingBatch& item : expected) expect_equal(batcher.next(), item);
  }
}

TEST(Batcher, NeedsNoTokenizerForPairsItHasSeen) {
  const Sample sample;
  Batcher batcher(*sample.encoder, kOptions, {}, 0);
  const auto first = epoch_of(batcher);
  sample.files.write("a", "");  // reading would fail from here on
  EXPECT_EQ(pairs_of(epoch_of(batcher)), pairs_of(first));
}

TEST(Batcher, EndsItsThreadAtAnyTime) {
  const Sample sample;
  for (std::size_t taken = 0; taken < 60; ++taken) {
    Batcher batcher(*sample.encoder, kOptions, {}, 1 + taken % 3);
    take(batcher, taken % 30);
  }
}

TEST(Batcher, RefusesSizesOfZero) {
  const Sample sample;
  EXPECT_TRUE(contains(user_error([&] { Batcher(*sample.encoder, {1, 0, 10}); }), "batch_tokens"));
  EXPECT_TRUE(contains(user_error([&] { Batcher(*sample.encoder, {1, 10, 0}); }), "window"));
}

}  // namespace
}  // namespace dragoman
