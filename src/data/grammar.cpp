#include "data/grammar.h"

#include <algorithm>
#include <unordered_set>

#include "core/error.h"
#include "data/grammar_derivation.h"

namespace dragoman {
namespace {

/// Of dev and test together; the grammar makes far more sentences.
constexpr Index kMostHeldOut = 100'000;
constexpr Index kMostTrain = 100'000'000;
constexpr int kAttempts = 10'000;

void expect_between(const char* option, Index value, Index least, Index most) {
  if (value < least || value > most)
    throw UserError(std::string("--") + option + " " + std::to_string(value) + ": expected " + std::to_string(least) +
                    " to " + std::to_string(most));
}

}  // namespace

Grammar::Grammar(std::string_view text, const std::string& file) : lexicon_(parse_lexicon(text, file)) {
  for (const Rule& rule : lexicon_.rules) {
    total_weight_ += rule.weight;
    Rng rng(rule.line);
    bool works = false;
    for (int i = 0; i < kAttempts && !works; ++i) works = derive(lexicon_, rule, rng).has_value();
    if (!works) throw UserError(file, rule.line, "no words of this grammar fit this rule");
  }
}

const Grammar& Grammar::embedded() {
  static const Grammar grammar(embedded_grammar_text(), "data/grammar.txt");
  return grammar;
}

GrammarPair Grammar::draw(Rng& rng) const {
  double at = rng.uniform() * total_weight_;
  const Rule* rule = &lexicon_.rules.back();
  for (const Rule& candidate : lexicon_.rules) {
    if (at < candidate.weight) {
      rule = &candidate;
      break;
    }
    at -= candidate.weight;
  }
  for (;;)  // ends: the constructor has tried every rule
    if (const auto derivation = derive(lexicon_, *rule, rng)) return realize(lexicon_, *derivation);
}

std::uint64_t Grammar::count_simple_sentences() const {
  const auto adjectives = [&](int noun) {
    return static_cast<std::uint64_t>(std::count_if(
        lexicon_.adjectives.begin(), lexicon_.adjectives.end(),
        [&](const Adjective& a) { return a.before && a.nouns.contains(noun) && !lexicon_.nouns[noun].is("kin"); }));
  };
  // How many noun phrases a set of nouns makes.
  const auto phrases = [&](const NounSet& set, bool definite, bool a_or_number) {
    std::uint64_t sum = 0;
    for (const int noun : set.nouns())
      for (const auto& [determiner, plural, count] : shapes_of(lexicon_.nouns[noun])) {
        const bool is_definite = determiner == Determiner::kThe || determiner == Determiner::kMy;
        const bool is_bare = determiner == Determiner::kBare;
        if (is_bare || (is_definite ? definite : a_or_number)) sum += 1 + adjectives(noun);
      }
    return sum;
  };
  const auto times = [&](Tense tense) {
    return static_cast<std::uint64_t>(std::count_if(lexicon_.times.begin(), lexicon_.times.end(),
                                                    [&](const TimePhrase& time) { return time.tense == tense; }));
  };
  std::uint64_t total = 0;
  for (const Frame& f : lexicon_.frames) {  // entries of one verb share no subject and object
    if (f.objects.empty() || !f.receivers.empty() || !f.goals.empty()) continue;
    const bool apart = std::none_of(f.subjects.nouns().begin(), f.subjects.nouns().end(),
                                    [&](int noun) { return f.objects.contains(noun); });
    if (!apart) continue;  // a noun is not used twice: not counted rather than counted wrongly
    std::uint64_t any = 0;
    if (f.can_past || f.was) any += 1;
    if (f.can_past) any += times(Tense::kPast);
    if (f.can_future) any += 1 + times(Tense::kFuture);
    if (f.can_present) any += times(Tense::kPresent);
    if (f.state) any += 1;
    const std::uint64_t habit = f.habit && !f.can_present ? times(Tense::kPresent) : 0;
    const std::uint64_t ends = any * phrases(f.objects, true, !f.state) + habit * phrases(f.objects, false, true);
    total += phrases(f.subjects, true, true) * ends * (1 + f.places.nouns().size());
  }
  return total;
}

GrammarCorpus make_grammar_corpus(const Grammar& grammar, const GrammarOptions& options) {
  expect_between("train", options.train, 0, kMostTrain);
  expect_between("dev", options.dev, 0, kMostHeldOut);
  expect_between("test", options.test, 0, kMostHeldOut);
  Rng rng(options.seed);
  std::unordered_set<std::string> held_out;
  const auto draw = [&](Index count, bool hold_out) {
    std::vector<GrammarPair> pairs;
    pairs.reserve(static_cast<std::size_t>(count));
    while (static_cast<Index>(pairs.size()) < count) {
      GrammarPair pair = grammar.draw(rng);
      if (hold_out ? held_out.insert(pair.source).second : !held_out.contains(pair.source))
        pairs.push_back(std::move(pair));
    }
    return pairs;
  };
  GrammarCorpus corpus;
  corpus.test = draw(options.test, true);
  corpus.dev = draw(options.dev, true);
  corpus.train = draw(options.train, false);
  return corpus;
}

std::string format_pairs(const std::vector<WordPair>& pairs) {
  std::string text;
  for (const auto& [first, second] : pairs) {
    if (!text.empty()) text += ' ';
    text += std::to_string(first) + "-" + std::to_string(second);
  }
  return text;
}

}  // namespace dragoman
