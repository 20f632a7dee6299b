#include "data/grammar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "core/error.h"
#include "data/grammar_derivation.h"

namespace dragoman {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

std::string lower(std::string word) {
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return word;
}

const std::set<std::string> kPronouns = {"he", "him", "she", "her", "it", "they", "them"};

std::vector<GrammarPair> draw(int count) {
  std::vector<GrammarPair> drawn;
  Rng rng(7);
  for (int i = 0; i < count; ++i) drawn.push_back(Grammar::embedded().draw(rng));
  return drawn;
}

/// Some pairs, drawn once.
const std::vector<GrammarPair>& sample() {
  static const std::vector<GrammarPair> pairs = draw(20'000);
  return pairs;
}

/// A small grammar, to say exactly what comes out.
std::string small_grammar(const std::string& rule) {
  return "[noun]\nboy | 소년 | person male\nteacher | 선생님 | person | pronoun=repeat\n"
         "child | 아이 | person | pronoun=that\nhat | 모자 | clothes\ncoat | 외투 | warm\nhorse | 말 | animal\n"
         "[adjective]\nold | 낡다 | hat coat | before after\nhungry | 배가 고프다 | person animal | after\n"
         "[verb]\nbuy, buys, bought | 사다 | subject=person object=hat coat horse tense=past order=first\n"
         "wear, wears, wore | 쓰다 | subject=person object=hat tense=past order=later\n"
         "wear, wears, wore | 입다 | subject=person object=coat tense=past order=later\n"
         "[time]\nyesterday | 어제 | past\n[rule]\n" +
         rule + "\n";
}

std::map<std::string, GrammarPair> all_pairs(const std::string& rule) {
  const Grammar grammar(small_grammar(rule), "small.txt");
  Rng rng(3);
  std::map<std::string, GrammarPair> pairs;
  for (int i = 0; i < 5'000; ++i) {
    const GrammarPair pair = grammar.draw(rng);
    pairs[pair.source] = pair;
  }
  return pairs;
}

TEST(Grammar, ASourceHasOneTranslationOneAlignmentAndOneSetOfAntecedents) {
  std::map<std::string, const GrammarPair*> first;
  const auto pairs = draw(50'000);
  for (const GrammarPair& pair : pairs) {
    const auto [at, fresh] = first.emplace(pair.source, &pair);
    EXPECT_EQ(at->second->target, pair.target) << pair.source;
    EXPECT_EQ(at->second->alignment, pair.alignment) << pair.source;
    EXPECT_EQ(at->second->antecedents, pair.antecedents) << pair.source;
  }
}

TEST(Grammar, AlignmentsCoverEveryWordButArticlesCommasAndInnerPeriods) {
  for (const GrammarPair& pair : sample()) {
    const auto source = words(pair.source);
    const auto target = words(pair.target);
    std::vector<bool> source_linked(source.size()), target_linked(target.size());
    ASSERT_TRUE(std::is_sorted(pair.alignment.begin(), pair.alignment.end()));
    for (const auto& [i, j] : pair.alignment) {
      ASSERT_TRUE(i >= 0 && i < static_cast<int>(source.size())) << pair.source;
      ASSERT_TRUE(j >= 0 && j < static_cast<int>(target.size())) << pair.target;
      source_linked[i] = target_linked[j] = true;
    }
    for (std::size_t i = 0; i < source.size(); ++i) {
      const std::string word = lower(source[i]);
      if (word == "a" || word == "an") continue;
      EXPECT_EQ(source_linked[i], word != "the" && word != ",") << pair.source << ": " << word;
    }
    for (std::size_t j = 0; j < target.size(); ++j)
      EXPECT_TRUE(target_linked[j] || target[j] == ".") << pair.target << ": " << target[j];
  }
}

TEST(Grammar, AntecedentsArePronounsWithAnEarlierNoun) {
  std::set<std::string> nouns;
  for (const Noun& noun : Grammar::embedded().lexicon().nouns) {
    nouns.insert(noun.english);
    if (!noun.plural.empty()) nouns.insert(noun.plural);
  }
  for (const GrammarPair& pair : sample()) {
    const auto source = words(pair.source);
    std::set<int> resolved;
    for (const auto& [pronoun, noun] : pair.antecedents) {
      ASSERT_TRUE(noun >= 0 && noun < pronoun && pronoun < static_cast<int>(source.size())) << pair.source;
      EXPECT_TRUE(kPronouns.contains(lower(source[pronoun]))) << pair.source;
      EXPECT_TRUE(nouns.contains(source[noun])) << pair.source;
      resolved.insert(pronoun);
    }
    for (std::size_t i = 0; i < source.size(); ++i)
      EXPECT_EQ(kPronouns.contains(lower(source[i])), resolved.contains(static_cast<int>(i))) << pair.source;
  }
}

TEST(Grammar, ItRepeatsTheNounItRefersTo) {
  std::set<std::string> repeated;
  for (const GrammarPair& pair : sample()) {
    const auto source = words(pair.source);
    for (const auto& [pronoun, noun] : pair.antecedents) {
      if (lower(source[pronoun]) != "it") continue;
      const auto& all = Grammar::embedded().lexicon().nouns;
      const std::string& english = source[noun];
      const auto entry = std::find_if(all.begin(), all.end(), [&](const Noun& n) { return n.english == english; });
      ASSERT_NE(entry, all.end());
      EXPECT_NE(pair.target.find("그 " + entry->korean), std::string::npos) << pair.source << "\n" << pair.target;
      repeated.insert(entry->english);
    }
  }
  EXPECT_GE(repeated.size(), 40u);
}

TEST(Grammar, TheSamePronounRefersToSubjectOrObjectByTheContext) {
  const std::string text =
      "[noun]\nhorse | 말 | animal\napple | 사과 | food\n"
      "[adjective]\nhungry | 배가 고프다 | animal | after\nfresh | 신선하다 | food | after\n"
      "[verb]\neat, eats, ate | 먹다 | subject=animal object=food tense=past\n"
      "[reason]\neat | subject | hungry\neat | object | fresh\n[rule]\n"
      "1 | S1:the V1:past O1:the because@때문이다 S2=S1 B2:past A2 . | S1 O1 V1 . S2 A2-기 때문이다 .\n"
      "1 | S1:the V1:past O1:the because@때문이다 S2=O1 B2:past A2 . | S1 O1 V1 . S2 A2-기 때문이다 .\n";
  const Grammar grammar(text, "because.txt");
  Rng rng(1);
  std::map<std::string, GrammarPair> pairs;
  for (int i = 0; i < 200; ++i) {
    const GrammarPair pair = grammar.draw(rng);
    pairs[pair.source] = pair;
  }
  ASSERT_EQ(pairs.size(), 2u);
  const GrammarPair& hungry = pairs.at("The horse ate the apple because it was hungry .");
  EXPECT_EQ(hungry.target, "말은 사과를 먹었다 . 그 말은 배가 고팠기 때문이다 .");
  EXPECT_EQ(format_pairs(hungry.antecedents), "6-1");
  const GrammarPair& fresh = pairs.at("The horse ate the apple because it was fresh .");
  EXPECT_EQ(fresh.target, "말은 사과를 먹었다 . 그 사과는 신선했기 때문이다 .");
  EXPECT_EQ(format_pairs(fresh.antecedents), "6-4");
  EXPECT_EQ(format_pairs(fresh.alignment), "1-0 2-2 4-1 5-7 6-4 6-5 7-6 8-6 9-8");
}

TEST(Grammar, ThePronounOfAPersonDependsOnTheNoun) {
  const auto pairs = all_pairs("1 | S1:the V1:past O1:the . S2=S1 B2:past A2 . | S1 O1 V1 . S2 A2 .");
  EXPECT_EQ(pairs.at("The boy bought the hat . He was hungry .").target, "소년은 모자를 샀다 . 그는 배가 고팠다 .");
  EXPECT_EQ(pairs.at("The teacher bought the hat . She was hungry .").target,
            "선생님은 모자를 샀다 . 선생님은 배가 고팠다 .");
  EXPECT_EQ(pairs.at("The child bought the hat . He was hungry .").target,
            "아이는 모자를 샀다 . 그 아이는 배가 고팠다 .");
  EXPECT_FALSE(pairs.contains("The boy bought the hat . She was hungry ."));
}

TEST(Grammar, TheVerbDependsOnWhatThePronounMeans) {
  const auto pairs = all_pairs("1 | S1:the V1:past O1:the . S2=S1 V2:past O2=O1 . | S1 O1 V1 . S2 O2 V2 .");
  const GrammarPair& hat = pairs.at("The boy bought the hat . He wore it .");
  EXPECT_EQ(hat.target, "소년은 모자를 샀다 . 그는 그 모자를 썼다 .");
  EXPECT_EQ(format_pairs(hat.alignment), "1-0 2-2 4-1 5-3 6-4 7-7 8-5 8-6 9-8");
  EXPECT_EQ(format_pairs(hat.antecedents), "6-1 8-4");
  EXPECT_EQ(pairs.at("The boy bought the coat . He wore it .").target, "소년은 외투를 샀다 . 그는 그 외투를 입었다 .");
}

TEST(Grammar, AnAmbiguousPronounIsNotMade) {
  const auto pairs = all_pairs("1 | S1:the V1:past O1:the . S2=O1 B2:past A2 . | S1 O1 V1 . S2 A2 .");
  EXPECT_EQ(pairs.at("The boy bought the horse . It was hungry .").target, "소년은 말을 샀다 . 그 말은 배가 고팠다 .");
  EXPECT_TRUE(pairs.contains("The boy bought the coat . It was old ."));
  const std::string text =
      "[noun]\ndog | 개 | animal\ncat | 고양이 | animal\n[adjective]\nhungry | 배가 고프다 | animal | after\n"
      "[verb]\nsee, sees, saw | 보다 | subject=animal object=animal tense=past order=first\n"
      "[rule]\n1 | S1 V1:past O1 . S2=O1 B2:past A2 . | S1 O1 V1 . S2 A2 .\n";
  EXPECT_THROW(Grammar(text, "ambiguous.txt"), UserError);  // it: the dog or the cat
}

TEST(Grammar, RelativeClausesComeBeforeTheNounInKorean) {
  const auto pairs = all_pairs("1 | S1 that@V2 S2:the V2:past B1:past A1 . | S2-가 V2-ㄴ S1 A1 . | O2=S1");
  EXPECT_EQ(pairs.at("The hat that the boy bought was old .").target, "소년이 산 모자는 낡았다 .");
  EXPECT_EQ(pairs.at("The coat that the teacher wore was old .").target, "선생님이 입은 외투는 낡았다 .");
}

TEST(Grammar, AtLeastAMillionPairs) {
  EXPECT_GE(Grammar::embedded().count_simple_sentences(), 1'000'000u);
  // Counting checks counting: every sentence of a small grammar is met.
  const std::string rule = "1 | S1 V1 O1 [P1] [T1] . | S1 [T1] [P1] O1 V1 .";
  std::string text = small_grammar(rule);
  const Grammar grammar(text.replace(text.find("[P1] "), 5, "").replace(text.find("[P1] "), 5, ""), "small.txt");
  Rng rng(1);
  std::set<std::string> seen;
  for (int i = 0; i < 50'000; ++i) seen.insert(grammar.draw(rng).source);
  EXPECT_EQ(seen.size(), grammar.count_simple_sentences());
}

TEST(Grammar, FewSourcesRepeat) {
  // n draws out of N equally likely sources have about n^2 / 2N repetitions; these are not equally likely.
  std::set<std::string> distinct;
  for (const GrammarPair& pair : sample()) distinct.insert(pair.source);
  EXPECT_GE(distinct.size(), 18'500u);
}

TEST(Grammar, ManyNounsAndVerbs) {
  std::set<std::string> heads;
  for (const Noun& noun : Grammar::embedded().lexicon().nouns) heads.insert(noun.english);
  for (const Frame& frame : Grammar::embedded().lexicon().frames) heads.insert(frame.base);
  EXPECT_GE(heads.size(), 60u);
}

TEST(Grammar, EveryEnglishWordIsFrequentAndSentencesAreShort) {
  std::map<std::string, int> counts;
  std::size_t total = 0;
  for (const GrammarPair& pair : sample())
    for (const std::string& word : words(pair.source)) {
      ++counts[lower(word)];
      ++total;
    }
  EXPECT_LE(counts.size(), 300u);
  for (const auto& [word, count] : counts) EXPECT_GE(count, 40) << word;
  EXPECT_GE(total, 8 * sample().size());
  EXPECT_LE(total, 14 * sample().size());
}

TEST(Grammar, ArticlesFollowTheNextSound) {
  for (const GrammarPair& pair : sample()) {
    const auto source = words(pair.source);
    for (std::size_t i = 0; i + 1 < source.size(); ++i) {
      const std::string article = lower(source[i]);
      const bool vowel = std::string("aeiou").find(source[i + 1][0]) != std::string::npos;
      EXPECT_FALSE(vowel ? article == "a" : article == "an") << pair.source;
    }
  }
}

TEST(Grammar, TimeAgreesWithTense) {
  for (const GrammarPair& pair : sample()) {
    const std::string& s = pair.source;
    const bool will = s.find(" will ") != std::string::npos;
    const auto has = [&](const char* time) { return lower(s).find(time) != std::string::npos; };
    EXPECT_TRUE(will || !has("tomorrow")) << s;
    EXPECT_FALSE(will && has("every ")) << s;
    EXPECT_FALSE(will && has("yesterday") && !has("tomorrow") && !has("next week")) << s;
  }
}

TEST(Grammar, PartsAreDistinctAndTheSeedDecides) {
  const GrammarOptions options{.train = 3000, .dev = 200, .test = 200, .seed = 5};
  const GrammarCorpus corpus = make_grammar_corpus(Grammar::embedded(), options);
  ASSERT_EQ(corpus.train.size(), 3000u);
  std::set<std::string> held_out;
  for (const auto* part : {&corpus.dev, &corpus.test})
    for (const GrammarPair& pair : *part) EXPECT_TRUE(held_out.insert(pair.source).second) << pair.source;
  EXPECT_EQ(held_out.size(), 400u);
  for (const GrammarPair& pair : corpus.train) EXPECT_FALSE(held_out.contains(pair.source)) << pair.source;
  const GrammarCorpus again = make_grammar_corpus(Grammar::embedded(), options);
  for (std::size_t i = 0; i < corpus.train.size(); ++i) EXPECT_EQ(corpus.train[i].target, again.train[i].target);
  const GrammarCorpus other = make_grammar_corpus(Grammar::embedded(), {.train = 10, .dev = 0, .test = 0, .seed = 6});
  EXPECT_NE(corpus.train[0].source + corpus.train[1].source, other.train[0].source + other.train[1].source);
}

TEST(Grammar, ImpossibleSizesAreRefusedByName) {
  const auto message = [](const GrammarOptions& options) -> std::string {
    try {
      make_grammar_corpus(Grammar::embedded(), options);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message({.train = -1}).find("--train -1"), std::string::npos);
  EXPECT_NE(message({.dev = 1'000'000'000}).find("--dev 1000000000"), std::string::npos);
}

TEST(Grammar, AMistakeInTheFileIsReportedWithItsLine) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      Grammar(text, "g.txt");
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("[noun]\ncook | 요리사\n"),
            "g.txt:2: expected ENGLISH[, PLURAL] | KOREAN | CLASSES [| KEY=VALUE ...]");
  EXPECT_EQ(message("[words]\n"),
            "g.txt:1: unknown section [words]: expected noun, place, adjective, verb, time, "
            "reason or rule");
  EXPECT_EQ(message("[noun]\ncook | 요리사 | person\n[verb]\neat, eats, ate | 먹다 | subject=person object=food\n"),
            "g.txt:4: 'food' is neither a noun nor a class of nouns");
  EXPECT_EQ(message(small_grammar("1 | S1 V1 . | S1 O1 V1 .")).substr(0, 9), "g.txt:18:");
  EXPECT_NE(message(small_grammar("1 | S1 V1 O1 R1 . | S1 R1 O1 V1 .")).find("no words of this grammar fit this rule"),
            std::string::npos);
}

TEST(Grammar, FormatsPairsAsPharaohDoes) {
  EXPECT_EQ(format_pairs({{0, 1}, {2, 0}}), "0-1 2-0");
  EXPECT_EQ(format_pairs({}), "");
}

}  // namespace
}  // namespace dragoman
