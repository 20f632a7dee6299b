#include "data/corpus_report.h"

namespace dragoman {

namespace {
constexpr const char* kReasons[kDropReasons] = {"over 100 kB", "with an empty source", "with an empty target",
                                                "over data.max_length"};
}

void CorpusReport::count(PairFate fate, std::size_t pair) {
  ++lines;
  const auto i = static_cast<std::size_t>(fate);
  if (i >= kDropReasons) {
    ++kept;
    if (fate == PairFate::truncated) ++truncated;
    return;
  }
  dropped[i].add(pair);
}

std::string CorpusReport::describe(const Corpus& corpus) const {
  std::string text = std::to_string(total_dropped()) + " of " + std::to_string(lines) +
                     (sampled ? " sampled pairs dropped" : " pairs dropped");
  const char* separator = ": ";
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    if (dropped[i].count == 0) continue;
    text += separator + std::to_string(dropped[i].count) + " " + kReasons[i] +
            " (first: " + dropped[i].in(corpus).first + ")";
    separator = ", ";
  }
  if (truncated > 0) text += "; " + std::to_string(truncated) + " cut to data.max_length";
  return text;
}

}  // namespace dragoman
