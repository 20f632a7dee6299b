#include "metrics/bleu_tokenizers.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace dragoman {
namespace {

using Json = nlohmann::json;

std::vector<std::string> tokens(BleuTokenizer tokenizer, std::string_view line) {
  const std::string tokenized = tokenize_for_bleu(tokenizer, line);
  std::vector<std::string_view> words;
  split_words(tokenized, words);
  return {words.begin(), words.end()};
}

std::string joined(BleuTokenizer tokenizer, std::string_view line) {
  std::string out;
  for (const auto& token : tokens(tokenizer, line)) out += (out.empty() ? "" : " ") + token;
  return out;
}

TEST(BleuTokenizers, AwkwardLinesEqualSacrebleu) {
  const Json golden = Json::parse(std::ifstream(DRAGOMAN_ROOT "/tests/golden/bleu.json"));
  ASSERT_GE(golden.at("tokens").size(), 100U);
  for (const auto& entry : golden.at("tokens")) {
    const auto text = entry.at("text").get<std::string>();
    if (entry.contains("lower")) {
      EXPECT_EQ(lower_case(text), entry.at("lower").get<std::string>());
    } else {
      const auto name = entry.at("tokenize").get<std::string>();
      EXPECT_EQ(tokens(parse_bleu_tokenizer(name), text), entry.at("tokens").get<std::vector<std::string>>())
          << name << ": " << text;
    }
  }
}

TEST(BleuTokenizers, Version13aKeepsPeriodsAndCommasOfNumbers) {
  EXPECT_EQ(joined(BleuTokenizer::v13a, "It costs 1,000.50, or 3.14."), "It costs 1,000.50 , or 3.14 .");
  EXPECT_EQ(joined(BleuTokenizer::v13a, "1990-91 is well-known"), "1990 - 91 is well-known");
}

TEST(BleuTokenizers, Version13aDecodesEntitiesInOrder) {
  EXPECT_EQ(joined(BleuTokenizer::v13a, "&quot;a&quot; &amp;lt; &gt; &apos;"), "\" a \" < > & apos ;");
}

TEST(BleuTokenizers, Version13aJoinsLinesInOneString) {
  EXPECT_EQ(joined(BleuTokenizer::v13a, "hyphen-\nated <skipped>text\nhere"), "hyphenated text here");
}

TEST(BleuTokenizers, IntlSplitsUnicodePunctuationAndSymbols) {
  EXPECT_EQ(joined(BleuTokenizer::intl, "„Ja“, 5€ – 3,5 물。"), "„ Ja “ , 5 € – 3,5 물 。");
}

TEST(BleuTokenizers, IntlLeavesAFinalPeriodAtANumber) {
  EXPECT_EQ(joined(BleuTokenizer::intl, "in 2019."), "in 2019.");
  EXPECT_EQ(joined(BleuTokenizer::intl, "in 2019. \t"), "in 2019.");  // white space at the end is cut off before
}

TEST(BleuTokenizers, CharSplitsCodePoints) { EXPECT_EQ(joined(BleuTokenizer::character, "물 é🙂"), "물 é 🙂"); }

TEST(BleuTokenizers, WhiteSpaceIsThatOfPython) {
  const std::string spaces =
      " \t\n\v\f\r\x1c\x1d\x1e\x1f\u0085\u00a0\u1680\u2000\u2005\u200a\u2028\u2029\u202f\u205f\u3000";
  EXPECT_EQ(joined(BleuTokenizer::none, spaces + "a" + spaces + "b" + spaces), "a b");
  const std::string no_spaces = "a\u200bb\u180ec\u2060d\ufeffe\u0084f";
  EXPECT_EQ(joined(BleuTokenizer::none, no_spaces), no_spaces);
}

TEST(BleuTokenizers, MalformedTextIsReplacedOrKept) {
  EXPECT_EQ(joined(BleuTokenizer::character, "a\xff\xe2\x80"), "a \ufffd \ufffd");
  EXPECT_EQ(joined(BleuTokenizer::intl, "a\xff"), "a \ufffd");
  EXPECT_EQ(joined(BleuTokenizer::v13a, "a\xff,\xe2"), "a\xff , \xe2");
}

TEST(BleuTokenizers, LowerCaseFollowsThePositionOfSigma) {
  EXPECT_EQ(lower_case("ΟΔΥΣΣΕΥΣ ΣΑΣ."), "οδυσσευς σας.");
  EXPECT_EQ(lower_case("İ ÄÖ ẞ ABC"), "i\u0307 äö ß abc");
}

}  // namespace
}  // namespace dragoman
