#include "data/held_out_text.h"

#include <algorithm>
#include <map>
#include <utility>

#include "data/clean.h"
#include "data/text_units.h"

namespace dragoman {

namespace {

using Table = std::unordered_map<std::uint64_t, bool>;

void mark(Table& table, std::uint64_t hash) {
  const auto place = table.find(hash);
  if (place != table.end()) place->second = true;
}

/// (A line that was changed meanwhile is not there.)
bool is_marked(const Table& table, std::uint64_t hash) {
  const auto place = table.find(hash);
  return place != table.end() && place->second;
}

/// One side while its lines are read.
struct Side {
  HeldOutSide sums;
  std::map<char32_t, std::size_t> unseen;  // how often
  FirstLines unseen_lines;
  FirstLines foreign_lines;
};

void add(Side& side, std::size_t line, std::string_view text, const std::vector<TokenId>& ids, const TrainingSide& own,
         const TrainingSide& other) {
  side.sums.pieces += ids.size() - 1;
  side.sums.unknown += static_cast<std::size_t>(std::count(ids.begin(), ids.end(), kUnk));
  bool unseen = false;
  for_each_character(text, [&](char32_t c) {
    if (own.has(c)) return;
    ++side.unseen[c];
    unseen = true;
  });
  if (unseen) side.unseen_lines.add(line);
  std::size_t own_words = 0;
  std::size_t other_words = 0;
  for_each_word(text, [&](std::string_view word) {
    ++side.sums.words;
    own_words += own.has_word(word) ? 1 : 0;
    other_words += other.has_word(word) ? 1 : 0;
  });
  side.sums.own_words += own_words;
  side.sums.other_words += other_words;
  if (other_words > own_words) side.foreign_lines.add(line);
}

HeldOutSide finish(const Side& side, const Corpus& corpus) {
  std::vector<char32_t> unseen;
  for (const auto& entry : side.unseen) unseen.push_back(entry.first);
  std::stable_sort(unseen.begin(), unseen.end(),
                   [&](char32_t a, char32_t b) { return side.unseen.at(a) > side.unseen.at(b); });
  HeldOutSide result = side.sums;
  result.unseen = describe_characters(unseen);
  result.unseen_lines = side.unseen_lines.in(corpus);
  result.foreign_lines = side.foreign_lines.in(corpus);
  return result;
}

}  // namespace

HeldOutText::HeldOutText(std::string name, PairEncoder encoder) : name_(std::move(name)), encoder_(std::move(encoder)) {
  for (std::size_t i = 0; i < encoder_.corpus().size(); ++i) {
    const PairHash hash(encoder_.text(i));
    pairs_[hash.pair] = false;
    sources_[hash.source] = false;
  }
}

void HeldOutText::add_training(const PairHash& hash) {
  mark(pairs_, hash.pair);
  mark(sources_, hash.source);
}

HeldOutReport HeldOutText::report(const std::array<TrainingSide, 2>& sides, const HeldOutText* development) const {
  const Corpus& corpus = encoder_.corpus();
  FirstLines blank;
  FirstLines pairs;
  FirstLines sources;
  FirstLines shared;
  std::array<Side, 2> sums;
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    EncodedPair pair;
    PairText text;
    encoder_.encode(i, pair, &text);
    const PairHash hash(text);
    const bool is_empty = is_blank(text.source) || is_blank(text.target);
    if (is_empty) blank.add(i);
    if (is_marked(pairs_, hash.pair)) pairs.add(i);
    if (is_marked(sources_, hash.source)) sources.add(i);
    if (development != nullptr && !is_empty && development->pairs_.contains(hash.pair)) shared.add(i);
    add(sums[0], i, text.source, pair.source, sides[0], sides[1]);
    add(sums[1], i, text.target, pair.target, sides[1], sides[0]);
  }
  return {name_,
          corpus.size(),
          blank.in(corpus),
          pairs.in(corpus),
          sources.in(corpus),
          shared.in(corpus),
          {finish(sums[0], corpus), finish(sums[1], corpus)}};
}

}  // namespace dragoman
