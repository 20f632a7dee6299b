// A count of lines with the first of them, for messages.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/corpus.h"

namespace dragoman {

/// Lines of a corpus, and where the first of them are: "a.en:2, 3, b.en:1", or "" when there are none.
struct Found {
  std::size_t count = 0;
  std::string first;
};

struct FirstLines {
  static constexpr std::size_t kShown = 3;

  std::size_t count = 0;
  std::vector<std::size_t> first;  ///< the lowest pairs, from 0, in order; at most kShown

  /// The order of calls doesn't matter.
  void add(std::size_t pair);
  [[nodiscard]] Found in(const Corpus& corpus) const;
};

}  // namespace dragoman
