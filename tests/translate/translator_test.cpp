// Text to text: n lines in, n lines out, and a line's result depends on that line alone.
#include "translate/translator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "data/long_line.h"
#include "support/search_case.h"
#include "support/sentencepiece_model.h"
#include "support/text_case.h"
#include "translate/unknown_words.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

using Results = std::vector<std::vector<Translation>>;

DecodeOptions options_with(Index beam_size, Index batch_sentences = 64) {
  DecodeOptions options;
  options.beam_size = beam_size;
  options.batch_sentences = batch_sentences;
  options.max_length_extra = 3;
  options.max_length_factor = 1;
  return options;
}

std::vector<std::string> some_lines() {
  return {"1 2 3", "", "6 5 4 3 2 1 0", "1", "   ", "4 4", "2 9 unseen 1", "1 2 3", "0 1", "\t", "3 3 3 3"};
}

bool same(const std::vector<Translation>& a, const std::vector<Translation>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Translation& x, const Translation& y) {
    return x.text == y.text && x.log_prob == y.log_prob && x.score == y.score && x.source == y.source &&
           x.target == y.target;
  });
}

TEST(Translator, GivesOneResultALineAndNothingForNothing) {
  const TextCase text;
  const auto model = text.model();
  for (const Index beam : {1, 3}) {
    const Translator translator(*model, text.tokenizers, options_with(beam), "clean");
    const std::vector<std::string> lines = some_lines();
    const Results results = translator.translate(lines);
    ASSERT_EQ(results.size(), lines.size());
    for (const std::size_t empty : {1, 4, 9}) {
      ASSERT_EQ(results[empty].size(), 1U);
      EXPECT_EQ(results[empty][0].text, "");
      EXPECT_TRUE(results[empty][0].source.empty());
      EXPECT_EQ(results[empty][0].score, 0);
    }
    EXPECT_LT(results[0][0].score, 0);
    EXPECT_TRUE(same(results[0], results[7])) << "equal lines, equal results";
    EXPECT_TRUE(translator.translate({}).empty());
    EXPECT_EQ(translator.translate({""}).size(), 1U);
  }
}

TEST(Translator, Bfloat16ChangesScoresALittle) {
  const TextCase text;
  const auto model = text.model();
  DecodeOptions options = options_with(1);
  const Results exact = Translator(*model, text.tokenizers, options, "clean").translate({"1 2 3"});
  options.precision = "bfloat16";
  const Results rounded = Translator(*model, text.tokenizers, options, "clean").translate({"1 2 3"});
  EXPECT_NE(rounded[0][0].log_prob, exact[0][0].log_prob);
  EXPECT_NEAR(rounded[0][0].log_prob, exact[0][0].log_prob, 0.05 * std::fabs(exact[0][0].log_prob));
}

class TranslatorIn : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Precisions, TranslatorIn, ::testing::Values("float32", "bfloat16"),
                         [](const auto& info) { return info.param; });

TEST_P(TranslatorIn, NeitherBatchNorNeighboursNorOrderNorThreadsChangeABit) {
  const TextCase text;
  const auto model = text.model();
  const auto options_with = [](Index beam, Index batch = 64) {
    DecodeOptions options = dragoman::options_with(beam, batch);
    options.precision = GetParam();
    return options;
  };
  for (const Index beam : {1, 4}) {
    std::vector<std::string> lines = some_lines();
    const Results expected = Translator(*model, text.tokenizers, options_with(beam), "clean").translate(lines);
    for (const int threads : {1, 2, 3}) {
      const ThreadsGuard guard(threads);
      for (const Index batch : {1, 5, 64}) {
        const Translator translator(*model, text.tokenizers, options_with(beam, batch), "clean");
        const Results again = translator.translate(lines);
        for (std::size_t i = 0; i < lines.size(); ++i) {
          EXPECT_TRUE(same(again[i], expected[i])) << "line " << i << ", batch " << batch << ", threads " << threads;
          EXPECT_TRUE(same(translator.translate({lines[i]})[0], expected[i])) << "line " << i << " alone";
        }
        std::vector<std::string> reversed(lines.rbegin(), lines.rend());
        const Results backwards = translator.translate(reversed);
        for (std::size_t i = 0; i < lines.size(); ++i) {
          EXPECT_TRUE(same(backwards[lines.size() - 1 - i], expected[i])) << "line " << i << " reversed";
        }
      }
    }
  }
}

TEST(Translator, TextIsTheDetokenizedTargetAndTheSearchThatOfIds) {
  const TextCase text;
  const auto model = text.model();
  const DecodeOptions options = options_with(3);
  const std::vector<Translation> found =
      Translator(*model, text.tokenizers, options, "clean").translate({"  3  1 4 "}).front();
  EXPECT_EQ(found[0].source, text.tokenizers.source->encode("3 1 4"));
  for (const Translation& t : found) {
    EXPECT_EQ(t.text, text.tokenizers.target->decode(t.target));
    std::vector<TokenId> ids = t.source;
    ids.push_back(kEos);
    Sentences source;
    source.add(ids);
    EXPECT_NEAR(t.log_prob, forced_log_prob(*model, source, t.target), kDecodingBound);
  }
}

TEST(Translator, CleansAsTrainingDoesUnlessToldOtherwise) {
  const TextCase text(20, "char");
  const auto model = text.model();
  const std::string dirty = "\xEF\xBB\xBF 1\xC2\xA0 2\t\t3 \r";
  const Translator clean(*model, text.tokenizers, options_with(2), "clean");
  EXPECT_TRUE(same(clean.translate({dirty})[0], clean.translate({"1 2 3"})[0]));
  const Translator none(*model, text.tokenizers, options_with(2), "none");
  EXPECT_NE(none.translate({dirty})[0][0].source, none.translate({"1 2 3"})[0][0].source);
}

TEST(Translator, GivesNothingForBlanksWithoutCleaningToo) {
  for (const char* type : {"char", "sentencepiece"}) {
    const TextCase text(20, type);
    const auto model = text.model();
    const Translator translator(*model, text.tokenizers, options_with(2), "none");
    for (const std::string blanks : {"", " ", "   ", "\t", "\u3000 \u00A0", "\u200B"}) {
      const Results results = translator.translate({"1 2", blanks});
      EXPECT_EQ(results[1][0].text, "") << type;
      EXPECT_TRUE(results[1][0].source.empty() && results[1][0].target.empty()) << type;
      EXPECT_FALSE(results[0][0].source.empty()) << type;
    }
  }
}

TEST(Translator, CutsOverlongLinesAndSaysWhich) {
  const TextCase text;
  const auto model = text.model();
  DecodeOptions options = options_with(2);
  options.max_input = 3;
  const Translator translator(*model, text.tokenizers, options, "clean");
  LineRemarks remarks;
  const Results results = translator.translate({"1 2 3", "1 2 3 4 5", "1 2 3 6"}, 11, &remarks);
  EXPECT_TRUE(same(results[1], results[0]));
  EXPECT_TRUE(same(results[2], results[0]));
  EXPECT_EQ(remarks.cut, (std::vector<std::size_t>{12, 13}));
  EXPECT_TRUE(remarks.bad_utf8.empty());
  ASSERT_FALSE(translator.describe(remarks).empty());
  EXPECT_EQ(translator.describe(remarks)[0], "cut at 3 pieces (decoding.max_input): 2 lines (12, 13)");
}

TEST(Translator, CutsHugeLinesBeforeTheTokenizer) {
  const TextCase text;
  const auto model = text.model();
  const Translator translator(*model, text.tokenizers, options_with(1), "clean");
  const std::string huge = "1 2 3 " + std::string(kMaxLineToTokenize, 'x');
  LineRemarks remarks;
  const Results results = translator.translate({huge, huge + " 1", "1 2 3 x"}, 1, &remarks);
  EXPECT_EQ(remarks.cut, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(results[0][0].source.size(), 4U);
  EXPECT_TRUE(same(results[0], results[1])) << "what comes behind is not looked at";
  EXPECT_TRUE(same(results[0], results[2]));
}

TEST(Translator, ReplacesInvalidUtf8AndSaysWhere) {
  const TextCase text(20, "char");
  const auto model = text.model();
  const Translator translator(*model, text.tokenizers, options_with(2), "clean");
  LineRemarks remarks;
  const Results results = translator.translate({"1 \xFF 2", "1 2", "1 \xEF\xBF\xBD 2"}, 1, &remarks);
  EXPECT_TRUE(same(results[0], results[2])) << "the bad byte is U+FFFD";
  EXPECT_EQ(remarks.bad_utf8, std::vector<std::size_t>{1});
  EXPECT_EQ(translator.describe(remarks).at(0),
            "invalid UTF-8 replaced by U+FFFD in line 1; the text is probably cp1252 or Latin-1 (Western European)");
  LineRemarks unknown;
  (void)translator.translate({"1", "\xC2 \x81"}, 1, &unknown);
  EXPECT_EQ(translator.describe(unknown).at(0), "invalid UTF-8 replaced by U+FFFD in line 2");
}

TEST(Translator, RemarksShowTheFirstTenLinesOnly) {
  const TextCase text;
  const auto model = text.model();
  DecodeOptions options = options_with(2);
  options.max_input = 5;
  const Translator translator(*model, text.tokenizers, options, "clean");
  LineRemarks remarks;
  EXPECT_TRUE(translator.describe(remarks).empty());
  for (std::size_t line = 1; line <= 12; ++line) remarks.cut.push_back(line);
  EXPECT_EQ(translator.describe(remarks)[0],
            "cut at 5 pieces (decoding.max_input): 12 lines (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...)");
}

/// The model with another bias of the output for one id.
std::unique_ptr<Seq2Seq> inclined(const TextCase& text, TokenId id, Real bias,
                                  const ModelConfig& config = tiny_config()) {
  auto model = text.model(config);
  model->params().data()[static_cast<Index>(model->params().find("output.b")->ref.offset) + id] = bias;
  return model;
}

TEST(Translator, SaysWhichTranslationsTheLengthCapCut) {
  const TextCase text;
  for (const Index beam : {1, 3}) {
    LineRemarks endless, prompt;
    const auto talks = inclined(text, kEos, -30);
    const Translator talking(*talks, text.tokenizers, options_with(beam), "clean");
    const Results results = talking.translate({"1 2", "", "3"}, 7, &endless);
    EXPECT_EQ(endless.ended, (std::vector<std::size_t>{7, 9}));
    EXPECT_TRUE(results[0][0].cut);
    EXPECT_EQ(talking.describe(endless).at(0),
              "translations cut at the longest length allowed (decoding.max_length): 2 lines (7, 9)");
    const auto stops = inclined(text, kEos, 30);
    const Translator stopping(*stops, text.tokenizers, options_with(beam), "clean");
    (void)stopping.translate({"1 2", "", "3"}, 7, &prompt);
    EXPECT_TRUE(prompt.ended.empty());
    EXPECT_TRUE(stopping.describe(prompt).empty());
  }
}

TEST(Translator, CountsSourceWordsThatTheVocabularyLacks) {
  const TextCase text;
  const auto model = inclined(text, kEos, 30);
  const Translator translator(*model, text.tokenizers, options_with(1), "clean");
  LineRemarks remarks;
  (void)translator.translate({"1 2", "new 1 newer", "", "newest"}, 1, &remarks);
  EXPECT_EQ(remarks.unknown_pieces, 3U);
  EXPECT_EQ(remarks.unknown, (std::vector<std::size_t>{2, 4}));
  EXPECT_EQ(translator.describe(remarks),
            std::vector<std::string>{"source pieces that the vocabulary does not have: 3, in 2 lines (2, 4)"});
}

TEST(Translator, NBestTextsDifferAndTooFewAreTold) {
  const TextCase text;
  const auto model = text.model();
  const Translator plain(*model, text.tokenizers, options_with(4), "clean");
  const Translator translator(*model, text.tokenizers, options_with(4), "clean", 4);
  LineRemarks remarks;
  const Results lists = translator.translate(some_lines(), 1, &remarks);
  const Results firsts = plain.translate(some_lines());
  for (std::size_t i = 0; i < lists.size(); ++i) {
    EXPECT_EQ(lists[i][0].text, firsts[i][0].text);
    EXPECT_EQ(lists[i][0].score, firsts[i][0].score);
    std::set<std::string> texts;
    for (const Translation& t : lists[i]) texts.insert(t.text);
    EXPECT_EQ(texts.size(), lists[i].size());
    EXPECT_LE(lists[i].size(), 4U);
    const bool blank = lists[i][0].source.empty();
    EXPECT_EQ(std::count(remarks.few.begin(), remarks.few.end(), i + 1) > 0, lists[i].size() < 4 && !blank) << i;
  }
}

TEST(Translator, TellsWhereThereAreNotEnoughDifferentTranslations) {
  const TextCase text;
  const auto model = text.model();
  DecodeOptions options = options_with(50);  // of one piece there are fewer
  options.max_length_factor = 0;
  options.max_length_extra = 1;
  LineRemarks remarks;
  const Translator translator(*model, text.tokenizers, options, "clean", 50);
  const Results lists = translator.translate({"1 2", "", "3"}, 1, &remarks);
  EXPECT_EQ(lists[0].size(), lists[2].size());
  EXPECT_LT(lists[0].size(), 50U);
  EXPECT_EQ(translator.describe(remarks).back(), "fewer than 50 different translations of 2 lines (1, 3)");
}

TEST(Translator, ControlTokensOfAReadyModelAreNeverWritten) {
  TextCase text(20, "sentencepiece", true);
  const auto pad = static_cast<TokenId>(text.tokenizers.target->size());
  text.tokenizers.target = load_tokenizer(
      text.files.write("pad.model", text.tokenizers.target->serialize() + testing::control_piece("<pad>")));
  text.tokenizers.source = text.tokenizers.target;
  const auto model = inclined(text, pad, 30);
  for (const Index beam : {1, 3}) {
    DecodeOptions options = options_with(beam);
    options.min_length = 2;
    for (const auto& found : Translator(*model, text.tokenizers, options, "clean").translate({"1 2 3", "4"})) {
      ASSERT_GE(found[0].target.size(), 2U);
      for (const Translation& t : found) EXPECT_EQ(std::count(t.target.begin(), t.target.end(), pad), 0);
    }
  }
}

TEST(AttendedPieces, AreThoseOfTheLastLayerWithItsHeadsAddedUp) {
  const std::vector<AttentionMap> maps = {
      {"decoder", 2, 0, 3, 3, {0, 0, 1, 0, 0, 1, 0, 0, 1}},  // of another kind
      {"cross", 0, 0, 3, 3, {0, 0, 1, 0, 0, 1, 0, 0, 1}},    // not the last layer
      {"cross", 1, 0, 3, 3, {Real(.6), Real(.4), 0, 0, Real(.1), Real(.9), Real(.5), Real(.5), 0}},
      {"cross", 1, 1, 3, 3, {Real(.1), Real(.9), 0, Real(.2), Real(.1), Real(.7), Real(.5), Real(.5), 0}}};
  const std::vector<std::string> surfaces = {"first", "second"};  // the third key is eos
  EXPECT_EQ(attended_pieces(maps, std::vector<TokenId>{kUnk, kUnk, kUnk}, surfaces),
            (std::vector<std::string>{"second", "first", "first"}));
  EXPECT_EQ(attended_pieces(maps, std::vector<TokenId>{5, kUnk}, surfaces), std::vector<std::string>{"first"});
  EXPECT_TRUE(attended_pieces(maps, std::vector<TokenId>{5}, surfaces).empty());
}

TEST(Translator, WritesTheAttendedSourceWordForAnUnknownOne) {
  const TextCase text;
  ModelConfig transformer = tiny_config();
  make_transformer(transformer, true, true);
  for (const ModelConfig& config : {tiny_config(), transformer}) {
    const auto model = inclined(text, kUnk, 30, config);
    for (const Index beam : {1, 3}) {
      DecodeOptions options = options_with(beam);
      options.max_length_factor = 0;
      options.allow_unknown = true;
      const Results before = Translator(*model, text.tokenizers, options, "clean").translate({"1 new 2"});
      options.replace_unknown = true;
      const Translator translator(*model, text.tokenizers, options, "clean");
      const Results after = translator.translate({"1 new 2"});
      ASSERT_GT(after[0][0].target.size(), 0U);
      EXPECT_EQ(after[0][0].target, before[0][0].target);
      EXPECT_EQ(after[0][0].log_prob, before[0][0].log_prob);
      const auto words = attended_pieces(translator.attention(after[0][0]), after[0][0].target, {"1", "new", "2"});
      EXPECT_EQ(after[0][0].text, text.tokenizers.target->decode(after[0][0].target, words));
      EXPECT_EQ(after[0][0].text.find("\u2047"), std::string::npos);
      EXPECT_NE(before[0][0].text.find("\u2047"), std::string::npos);
    }
  }
}

TEST(Translator, AttentionHasARowForEachPieceAndEosThatSumsToOne) {
  const TextCase text;
  const auto model = text.model();
  const Translator translator(*model, text.tokenizers, options_with(2), "clean");
  const Translation best = translator.translate({"1 2 3 4"})[0][0];
  const std::vector<AttentionMap> maps = translator.attention(best);
  ASSERT_EQ(maps.size(), 1U);
  EXPECT_STREQ(maps[0].kind, "cross");
  EXPECT_EQ(maps[0].queries, static_cast<Index>(best.target.size()) + 1);
  EXPECT_EQ(maps[0].keys, 5);
  for (Index q = 0; q < maps[0].queries; ++q) {
    double sum = 0;
    for (Index k = 0; k < maps[0].keys; ++k) sum += static_cast<double>(maps[0].weights[q * maps[0].keys + k]);
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
