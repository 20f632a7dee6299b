#include "data/toy_tasks.h"

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "core/error.h"
#include "core/rng.h"

namespace dragoman {
namespace {

using Numbers = std::vector<Index>;

/// Dev and test may hold at most one in this many of the sources of a length.
constexpr Index kRoom = 10;

void expect_at_least(const char* option, Index value, Index least) {
  if (value < least)
    throw UserError(std::string("--") + option + " " + std::to_string(value) + ": expected at least " +
                    std::to_string(least));
}

/// The least length with symbols^length >= count.
Index least_length(Index symbols, Index count) {
  Index length = 0;
  for (Index left = count; left > 1; left = (left + symbols - 1) / symbols) ++length;
  return length;
}

/// Checks the options; returns the least length of a sentence of dev and test.
Index check_options(const ToyOptions& o) {
  constexpr Index kMost = 1'000'000'000;
  constexpr Index kLongest = 10'000;
  expect_at_least("train", o.train, 0);
  expect_at_least("dev", o.dev, 0);
  expect_at_least("test", o.test, 0);
  expect_at_least("symbols", o.symbols, 2);
  expect_at_least("min-length", o.min_length, 1);
  for (const auto& [option, value] : {std::pair{"train", o.train}, {"dev", o.dev}, {"test", o.test}})
    if (value > kMost)
      throw UserError(std::string("--") + option + " " + std::to_string(value) + ": expected at most " +
                      std::to_string(kMost));
  for (const auto& [option, value] : {std::pair{"max-length", o.max_length}, {"test-max-length", o.test_max_length}})
    if (value > kLongest)
      throw UserError(std::string("--") + option + " " + std::to_string(value) + ": expected at most " +
                      std::to_string(kLongest));
  if (o.max_length < o.min_length)
    throw UserError("--max-length " + std::to_string(o.max_length) + " is below --min-length " +
                    std::to_string(o.min_length) + ": no training sentence fits");
  if (o.test_max_length < o.min_length)
    throw UserError("--test-max-length " + std::to_string(o.test_max_length) + " is below --min-length " +
                    std::to_string(o.min_length) + ": no dev or test sentence fits");
  const Index count = o.dev + o.test;
  const Index least = std::max(o.min_length, least_length(o.symbols, kRoom * count));
  if (count > 0 && least > o.test_max_length)
    throw UserError("--test-max-length " + std::to_string(o.test_max_length) + " is too short for --dev " +
                    std::to_string(o.dev) + " and --test " + std::to_string(o.test) +
                    " distinct sentences of --symbols " + std::to_string(o.symbols) +
                    ": they need a length with symbols^length >= " + std::to_string(kRoom * count) + ", that is " +
                    std::to_string(least) + "; raise --test-max-length or --symbols, or ask for fewer sentences");
  return least;
}

std::string join(const Numbers& numbers) {
  std::string text;
  for (const Index number : numbers) {
    if (!text.empty()) text += ' ';
    text += std::to_string(number);
  }
  return text;
}

Numbers split(const std::string& text) {
  Numbers numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    Index number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    CHECK(error == std::errc() && (next == end || *next == ' '), "toy_target: not numerals: " + text);
    numbers.push_back(number);
    at = next == end ? end : next + 1;
  }
  return numbers;
}

/// A sentence of uniform length least .. most.
class Sampler {
 public:
  Sampler(ToyTask task, const ToyOptions& options) : task_(task), symbols_(options.symbols), rng_(options.seed) {}

  /// Draws `count` pairs whose sources are not taken; `claim` takes them.
  std::vector<ToyPair> draw(Index count, Index least, Index most, bool claim) {
    std::vector<ToyPair> pairs;
    pairs.reserve(static_cast<std::size_t>(count));
    while (static_cast<Index>(pairs.size()) < count) {
      const Index length = least + below(most - least + 1);
      std::string source = join(words(length));
      while (taken_.contains(source)) source = join(words(length));  // the length stays uniform
      if (claim) taken_.insert(source);
      std::string target = toy_target(task_, source);
      pairs.push_back({std::move(source), std::move(target)});
    }
    return pairs;
  }

 private:
  Index below(Index n) { return static_cast<Index>(rng_.below(static_cast<std::uint64_t>(n))); }
  Numbers words(Index length) {
    Numbers numbers(static_cast<std::size_t>(length));
    for (Index& number : numbers) number = below(symbols_);
    return numbers;
  }

  ToyTask task_;
  Index symbols_;
  Rng rng_;
  std::unordered_set<std::string> taken_;
};

}  // namespace

ToyTask parse_toy_task(std::string_view name) {
  if (name == "copy") return ToyTask::kCopy;
  if (name == "reverse") return ToyTask::kReverse;
  if (name == "sort") return ToyTask::kSort;
  throw UserError("unknown toy task '" + std::string(name) + "': expected copy, reverse or sort");
}

ToyCorpus make_toy_corpus(ToyTask task, const ToyOptions& options) {
  const Index least = check_options(options);
  Sampler sampler(task, options);
  ToyCorpus corpus;
  corpus.test = sampler.draw(options.test, least, options.test_max_length, true);
  corpus.dev = sampler.draw(options.dev, least, options.test_max_length, true);
  corpus.train = sampler.draw(options.train, options.min_length, options.max_length, false);
  return corpus;
}

std::string toy_target(ToyTask task, const std::string& source) {
  Numbers numbers = split(source);
  switch (task) {
    case ToyTask::kCopy:
      break;
    case ToyTask::kReverse:
      std::reverse(numbers.begin(), numbers.end());
      break;
    case ToyTask::kSort:
      std::sort(numbers.begin(), numbers.end());
      break;
  }
  return join(numbers);
}

}  // namespace dragoman
