// Numbers of sacreBLEU: tests/golden/bleu.json, made by make_bleu.py beside it.
#include "metrics/bleu.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace dragoman {
namespace {

using Json = nlohmann::json;
using Lines = std::vector<std::string>;

const Json& golden() {
  static const Json json = Json::parse(std::ifstream(DRAGOMAN_ROOT "/tests/golden/bleu.json"));
  return json;
}

BleuOptions options_of(const Json& entry) {
  BleuOptions options;
  options.tokenizer = parse_bleu_tokenizer(entry.at("tokenize").get<std::string>());
  options.lowercase = entry.at("lowercase").get<bool>();
  options.smoothing = parse_bleu_smoothing(entry.at("smooth").get<std::string>());
  if (!entry.at("smooth_value").is_null()) options.smooth_value = entry.at("smooth_value").get<double>();
  return options;
}

TEST(Bleu, CorpusScoresEqualSacrebleu) {
  ASSERT_GE(golden().at("cases").size(), 20U);
  for (const auto& entry : golden().at("cases")) {
    SCOPED_TRACE(entry.at("signature").get<std::string>());
    const auto& corpus = golden().at("corpora").at(entry.at("corpus").get<std::string>());
    auto references = corpus.at("references").get<std::vector<Lines>>();
    references.resize(entry.at("references").get<std::size_t>());
    const auto options = options_of(entry);
    const BleuScore score = corpus_bleu(corpus.at("hypotheses").get<Lines>(), references, options);
    EXPECT_NEAR(score.score, entry.at("score").get<double>(), 1e-9);
    EXPECT_NEAR(score.bp, entry.at("bp").get<double>(), 1e-12);
    EXPECT_EQ(score.sys_len, entry.at("sys_len").get<std::int64_t>());
    EXPECT_EQ(score.ref_len, entry.at("ref_len").get<std::int64_t>());
    for (std::size_t n = 0; n < kBleuOrder; ++n) {
      EXPECT_NEAR(score.precisions[n], entry.at("precisions")[n].get<double>(), 1e-9);
      EXPECT_EQ(score.counts[n], entry.at("counts")[n].get<std::int64_t>());
      EXPECT_EQ(score.totals[n], entry.at("totals")[n].get<std::int64_t>());
    }
    EXPECT_EQ(Bleu(options).signature(references.size()), entry.at("signature").get<std::string>());
  }
}

TEST(Bleu, SentenceScoresEqualSacrebleu) {
  const auto& corpus = golden().at("corpora").at("far");
  const auto references = corpus.at("references").get<std::vector<Lines>>();
  for (const auto& entry : golden().at("sentences")) {
    const auto line = entry.at("line").get<std::size_t>();
    Lines of_line;
    for (const auto& reference : references) of_line.push_back(reference[line]);
    const auto smoothing = parse_bleu_smoothing(entry.at("smooth").get<std::string>());
    const BleuScore score =
        sentence_bleu(corpus.at("hypotheses")[line].get<std::string>(), of_line, {.smoothing = smoothing});
    EXPECT_NEAR(score.score, entry.at("score").get<double>(), 1e-9) << "line " << line;
    EXPECT_NEAR(score.bp, entry.at("bp").get<double>(), 1e-12) << "line " << line;
  }
}

TEST(Bleu, CountsAreClippedByTheLargestCountInOneReference) {
  // Papineni et al. 2002, section 2.1: 7 x "the" against two references with 2 and 1.
  Bleu bleu({.lowercase = true});
  const BleuStats stats =
      bleu.line_stats("the the the the the the the", Lines{"The cat is on the mat.", "There is a cat on the mat."});
  EXPECT_EQ(stats.counts[0], 2);
  EXPECT_EQ(stats.totals, (std::array<std::int64_t, 4>{7, 6, 5, 4}));
}

TEST(Bleu, TheNearestReferenceLengthCountsAndTheShorterOneOnTies) {
  Bleu bleu({});
  EXPECT_EQ(bleu.line_stats("a b c d", Lines{"a b c d e f g", "a b c d e", "a b"}).ref_len, 5);
  EXPECT_EQ(bleu.line_stats("a b c d", Lines{"a b c d e", "a b c"}).ref_len, 3);
  EXPECT_EQ(bleu.line_stats("a b c d", Lines{"a b c", "a b c d e"}).ref_len, 3);
}

TEST(Bleu, StatisticsOfLinesAddUp) {
  Bleu bleu({});
  const Lines hypotheses = {"a b c d e", "", "x"}, references = {"a b c d f", "y z", "x"};
  BleuStats sum;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    sum += bleu.line_stats(hypotheses[i], std::span(references).subspan(i, 1));
  }
  EXPECT_EQ(sum, (BleuStats{.sys_len = 6, .ref_len = 8, .counts = {5, 3, 2, 1}, .totals = {6, 4, 3, 2}}));
  EXPECT_EQ(bleu.score(sum).score, corpus_bleu(hypotheses, std::vector<Lines>{references}).score);
}

TEST(Bleu, ALongLineLeavesNoTrace) {
  std::string line;
  for (int i = 0; i < 20000; ++i) line += std::to_string(i) + " ";
  Bleu bleu({});
  const BleuStats before = bleu.line_stats("a b c", Lines{"a b d"});
  EXPECT_EQ(bleu.line_stats(line, Lines{line}).counts[3], 19997);
  EXPECT_EQ(bleu.line_stats("a b c", Lines{"a b d"}), before);
}

TEST(Bleu, NothingGivesZero) {
  EXPECT_EQ(corpus_bleu(Lines{}, std::vector<Lines>{{}}).score, 0);
  const BleuScore empty = corpus_bleu(Lines{""}, std::vector<Lines>{{"a b"}});
  EXPECT_EQ(empty.score, 0);
  EXPECT_EQ(empty.bp, 0);
  EXPECT_EQ(corpus_bleu(Lines{"a"}, std::vector<Lines>{{""}}).ratio(), 0);
}

TEST(Bleu, PrintsAsSacrebleuDoes) {
  const Lines hypotheses = {"a b c d f", "x y z w"};
  const BleuScore score = corpus_bleu(hypotheses, std::vector<Lines>{{"a b c d e", "x y z w q"}});
  EXPECT_EQ(score.details(), "88.9/85.7/80.0/66.7 (BP = 0.895 ratio = 0.900 hyp_len = 9 ref_len = 10)");
  EXPECT_EQ(Bleu({}).signature(2, "dragoman-1"), "nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:dragoman-1");
}

TEST(Bleu, WrongUseIsAUserError) {
  EXPECT_THROW((void)corpus_bleu(Lines{"a"}, std::vector<Lines>{}), UserError);
  EXPECT_THROW((void)corpus_bleu(Lines{"a"}, std::vector<Lines>{{"a", "b"}}), UserError);
  EXPECT_THROW(Bleu({.smooth_value = -1}), UserError);
  EXPECT_THROW((void)parse_bleu_smoothing("addk"), UserError);
  EXPECT_THROW((void)parse_bleu_tokenizer("zh"), UserError);
}

}  // namespace
}  // namespace dragoman
