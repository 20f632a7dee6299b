// Toy tasks: copy, reverse and sort of sequences of number words. The right answer is known, so that a
// model that does not learn them is broken.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/real.h"

namespace dragoman {

enum class ToyTask { kCopy, kReverse, kSort };

/// "copy", "reverse" or "sort"; anything else is a UserError that lists the tasks.
ToyTask parse_toy_task(std::string_view name);

struct ToyOptions {
  Index train = 20000;  ///< pairs of each part
  Index dev = 500;
  Index test = 500;
  Index symbols = 20;    ///< words are the numerals 0 .. symbols-1
  Index min_length = 3;  ///< words of a training sentence, inclusive
  Index max_length = 12;
  Index test_max_length = 12;  ///< longest sentence of dev and test; above max_length it tests extrapolation
  std::uint64_t seed = 1;
};

struct ToyPair {
  std::string source;
  std::string target;
};

struct ToyCorpus {
  std::vector<ToyPair> train;
  std::vector<ToyPair> dev;
  std::vector<ToyPair> test;
};

/// Draws test, then dev, all sources distinct, of uniform length up to test_max_length out of those lengths
/// (from min_length) with symbols^length >= 10 x (dev + test); then train, of uniform length min_length ..
/// max_length, without any source of dev or test. The same options always give the same corpus.
ToyCorpus make_toy_corpus(ToyTask task, const ToyOptions& options);

/// The right target of a source of numerals.
std::string toy_target(ToyTask task, const std::string& source);

}  // namespace dragoman
