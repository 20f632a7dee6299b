#include "data/toy_tasks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/error.h"

namespace dragoman {
namespace {

Index words_of(const std::string& text) { return 1 + std::count(text.begin(), text.end(), ' '); }

std::string message_of(const ToyOptions& options) {
  try {
    make_toy_corpus(ToyTask::kCopy, options);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(ToyTasks, TargetsAreTheCopyTheReverseAndTheNumericOrder) {
  EXPECT_EQ(toy_target(ToyTask::kCopy, "7 10 2"), "7 10 2");
  EXPECT_EQ(toy_target(ToyTask::kReverse, "7 10 2"), "2 10 7");
  EXPECT_EQ(toy_target(ToyTask::kSort, "7 10 2 10 0"), "0 2 7 10 10");
}

TEST(ToyTasks, EveryPairOfACorpusHasItsTarget) {
  for (const auto task : {ToyTask::kCopy, ToyTask::kReverse, ToyTask::kSort}) {
    const ToyCorpus corpus = make_toy_corpus(task, {.train = 200, .dev = 20, .test = 20});
    for (const auto* part : {&corpus.train, &corpus.dev, &corpus.test})
      for (const ToyPair& pair : *part) EXPECT_EQ(pair.target, toy_target(task, pair.source));
  }
}

TEST(ToyTasks, DevAndTestAreDistinctAndTrainExcludesThem) {
  const ToyOptions options{
      .train = 5000, .dev = 30, .test = 30, .symbols = 9, .min_length = 1, .max_length = 3, .test_max_length = 3};
  const ToyCorpus corpus = make_toy_corpus(ToyTask::kSort, options);
  ASSERT_EQ(corpus.train.size(), 5000u);
  std::set<std::string> held_out;
  for (const auto* part : {&corpus.dev, &corpus.test})
    for (const ToyPair& pair : *part) EXPECT_TRUE(held_out.insert(pair.source).second) << pair.source;
  EXPECT_EQ(held_out.size(), 60u);
  for (const ToyPair& pair : corpus.train) EXPECT_FALSE(held_out.contains(pair.source)) << pair.source;
}

TEST(ToyTasks, LengthsOfTrainAreUniform) {
  const ToyCorpus corpus =
      make_toy_corpus(ToyTask::kCopy, {.train = 8000, .dev = 10, .test = 10, .min_length = 2, .max_length = 9});
  std::map<Index, int> counts;
  for (const ToyPair& pair : corpus.train) ++counts[words_of(pair.source)];
  ASSERT_EQ(counts.begin()->first, 2);
  ASSERT_EQ(counts.rbegin()->first, 9);
  for (const auto& [length, count] : counts) EXPECT_NEAR(count, 1000, 150) << "length " << length;
}

TEST(ToyTasks, DevAndTestUseOnlyLengthsWithRoom) {
  const ToyCorpus corpus = make_toy_corpus(
      ToyTask::kCopy,
      {.train = 0, .dev = 500, .test = 500, .symbols = 10, .min_length = 1, .max_length = 8, .test_max_length = 12});
  std::set<Index> lengths;
  for (const auto* part : {&corpus.dev, &corpus.test})
    for (const ToyPair& pair : *part) lengths.insert(words_of(pair.source));
  EXPECT_EQ(*lengths.begin(), 4);  // 10^4 = 10 x 1000
  EXPECT_EQ(*lengths.rbegin(), 12);
}

TEST(ToyTasks, WordsAreTheNumeralsBelowTheNumberOfSymbols) {
  const ToyCorpus corpus = make_toy_corpus(ToyTask::kSort, {.train = 500, .dev = 5, .test = 5, .symbols = 13});
  std::set<std::string> words;
  for (const ToyPair& pair : corpus.train)
    for (std::size_t at = 0; at < pair.source.size();) {
      const std::size_t end = std::min(pair.source.find(' ', at), pair.source.size());
      words.insert(pair.source.substr(at, end - at));
      at = end + 1;
    }
  EXPECT_EQ(words.size(), 13u);
  EXPECT_TRUE(words.contains("0"));
  EXPECT_TRUE(words.contains("12"));
}

TEST(ToyTasks, TheSeedDecidesTheCorpus) {
  const auto text = [](std::uint64_t seed) {
    std::string all;
    for (const ToyPair& pair : make_toy_corpus(ToyTask::kCopy, {.train = 20, .dev = 5, .test = 5, .seed = seed}).train)
      all += pair.source + "\n";
    return all;
  };
  EXPECT_EQ(text(1), text(1));
  EXPECT_NE(text(1), text(2));
}

TEST(ToyTasks, ImpossibleOptionsAreRefusedByName) {
  EXPECT_NE(message_of({.train = -1}).find("--train"), std::string::npos);
  EXPECT_NE(message_of({.symbols = 1}).find("--symbols"), std::string::npos);
  EXPECT_NE(message_of({.min_length = 0}).find("--min-length"), std::string::npos);
  EXPECT_NE(message_of({.min_length = 5, .max_length = 4}).find("--max-length 4 is below"), std::string::npos);
  EXPECT_NE(message_of({.min_length = 5, .max_length = 6, .test_max_length = 4}).find("--test-max-length 4 is below"),
            std::string::npos);
  const std::string message =
      message_of({.dev = 50, .test = 50, .symbols = 3, .min_length = 1, .max_length = 5, .test_max_length = 6});
  EXPECT_NE(message.find("--test-max-length 6 is too short"), std::string::npos) << message;
  EXPECT_NE(message.find("that is 7"), std::string::npos) << message;  // 3^6 = 729 < 1000 <= 3^7
  EXPECT_EQ(
      message_of(
          {.train = 10, .dev = 50, .test = 50, .symbols = 3, .min_length = 1, .max_length = 5, .test_max_length = 7}),
      "");
}

TEST(ToyTasks, AnUnknownTaskIsRefused) {
  EXPECT_EQ(parse_toy_task("reverse"), ToyTask::kReverse);
  EXPECT_THROW(parse_toy_task("double"), UserError);
}

}  // namespace
}  // namespace dragoman
