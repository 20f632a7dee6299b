#include "data/data_examiner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "data/mojibake.h"
#include "data/temp_files.h"
#include "data/text_units.h"

namespace dragoman {
namespace {

using testing::contains;
using testing::TempFiles;

/// Training text with its tokenizers, and perhaps development text.
class Text {
 public:
  Text(const std::string& source, const std::string& target, const std::string& type = "word",
       std::size_t vocab_size = 8000, std::size_t min_frequency = 1)
      : train_({{files_.write("a", source)}, {files_.write("b", target)}, {}}) {
    TokenizerOptions options;
    options.type = type;
    options.shared = false;
    options.vocab_size = vocab_size;
    options.min_frequency = min_frequency;
    tokenizers_ = train_tokenizers(options, train_, "clean", 1, nullptr);
  }

  Text& dev(const std::string& source, const std::string& target) {
    dev_.emplace(ParallelFiles{{files_.write("da", source)}, {files_.write("db", target)}, {}});
    return *this;
  }
  Text& test(const std::string& source, const std::string& target) {
    test_.emplace(ParallelFiles{{files_.write("ta", source)}, {files_.write("tb", target)}, {}});
    return *this;
  }
  [[nodiscard]] PairEncoder encoder(FilterOptions filter = {}) const { return {train_, tokenizers_, filter}; }
  [[nodiscard]] DataReport examine(FilterOptions filter = {}, std::size_t examine_all = kExamineAll,
                                   const LengthCaps& caps = {}) const {
    return dragoman::examine(encoder(std::move(filter)), dev_ ? &*dev_ : nullptr, test_ ? &*test_ : nullptr,
                             examine_all, caps);
  }
  [[nodiscard]] std::string line(const std::string& file, const std::string& numbers) const {
    return files_.path(file) + ":" + numbers;
  }

 private:
  TempFiles files_;
  Corpus train_;
  std::optional<Corpus> dev_;
  std::optional<Corpus> test_;
  TokenizerPair tokenizers_;
};

std::string repeat(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

bool any_contains(const std::vector<std::string>& lines, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return contains(line, part); });
}

TEST(FirstLines, KeepsTheThreeLowestInAnyOrder) {
  FirstLines lines;
  for (const std::size_t line : {7, 3, 9, 1, 8, 5}) lines.add(line);
  EXPECT_EQ(lines.count, 6u);
  EXPECT_EQ(lines.first, (std::vector<std::size_t>{1, 3, 5}));
}

TEST(FirstLines, NameEachFileOnce) {
  const TempFiles files;
  const std::string a = files.write("a", "1\n2\n");
  const std::string b = files.write("b", "3\n4\n");
  const Corpus corpus({{a, b}, {a, b}, {}});
  EXPECT_EQ((FirstLines{3, {0, 1, 3}}).in(corpus).first, a + ":1, 2, " + b + ":2");
  EXPECT_EQ((FirstLines{}).in(corpus).first, "");
}

TEST(DataReport, CountsLengthsOfPairsInUse) {
  const Text text("a b\na\n\na b c d e f\n" + repeat("a ", 9) + "\n", "x\nx\nx\nx y\nx\n");
  const DataReport report = text.examine({8, "skip", "clean"});
  EXPECT_EQ(report.sides[0].lengths, (std::vector<std::size_t>{0, 1, 1, 0, 0, 0, 1})) << "not the empty, not the long";
  EXPECT_EQ(report.sides[1].lengths, (std::vector<std::size_t>{0, 2, 1}));
  EXPECT_EQ(report.sides[0].pieces, 9u);
  const auto lines = report.lines();
  EXPECT_EQ(lines[0].substr(0, 36), "training data: 2 of 5 pairs dropped:");
  EXPECT_TRUE(contains(lines[1], "1-5     6-10")) << lines[1];
  EXPECT_TRUE(contains(lines[2], "66.7 %   33.3 %        -")) << lines[2];
  EXPECT_TRUE(contains(lines[2], "2        6        6        -")) << "median, 95 %, longest, unknown: " << lines[2];
  const DataReport cut = text.examine({2, "truncate", "clean"});
  EXPECT_EQ(cut.sides[0].lengths, (std::vector<std::size_t>{0, 1, 3})) << "what is trained on";
}

TEST(DataReport, CountsUnknownPieces) {
  // With min_frequency 2 the words b, y and z are unknown.
  const Text text("a a\na b\na a\n", "x x\nx y\nx z z z\n", "word", 8000, 2);
  const DataReport report = text.examine();
  EXPECT_EQ(report.sides[0].pieces, 6u);
  EXPECT_EQ(report.sides[0].unknown, 1u);
  EXPECT_EQ(report.sides[0].unknown_lines.first, text.line("a", "2"));
  EXPECT_EQ(report.sides[1].pieces, 8u);
  EXPECT_EQ(report.sides[1].unknown, 1u);
  EXPECT_EQ(report.sides[0].without_piece.count, 1u);
  EXPECT_EQ(report.sides[0].without_piece.examples, "b U+0062");
  EXPECT_TRUE(contains(report.lines()[2], "16.7 %")) << report.lines()[2];
  EXPECT_TRUE(any_contains(report.warnings(), "1 of 6 source pieces are unknown (16.7 %; warned from 1 %; first: "));
}

TEST(DataReport, ListsCharactersWithoutAPiece) {
  // SentencePiece has no piece for U+2585, whatever the text.
  const Text text(repeat("one two\n", 20) + "a \u2585 b\n", repeat("eins zwei \u00E9\n", 21), "sentencepiece", 40);
  const DataReport report = text.examine();
  EXPECT_EQ(report.sides[0].characters, 8u) << "o n e t w a b and the block";
  EXPECT_EQ(report.sides[0].without_piece.count, 1u);
  EXPECT_EQ(report.sides[0].without_piece.examples, "\u2585 U+2585");
  EXPECT_EQ(report.sides[1].without_piece.count, 0u);
  EXPECT_TRUE(any_contains(report.lines(), "1 (\u2585 U+2585) source, 0 target"));
}

TEST(DataReport, CountsDuplicatesAfterCleaning) {
  const Text text("a\nb\n a \na\nb\nb\na\n", "x\ny\nx\nz\ny\ny\u200B\nx\n");
  const DataReport report = text.examine();
  EXPECT_EQ(report.duplicates.count, 4u);
  EXPECT_EQ(report.duplicates.first, text.line("a", "3, 5, 6"));
  EXPECT_TRUE(any_contains(report.warnings(), "4 of 7 pairs repeat an earlier one (57.1 %; warned from 10 %"));
}

TEST(DataReport, CountsNoDuplicatesAmongDroppedPairs) {
  EXPECT_EQ(Text("a\n\n\n", "x\ny\ny\n").examine().duplicates.count, 0u);
  EXPECT_EQ(Text("a\na\nb\n", "x\ny\nx\n").examine().duplicates.count, 0u) << "both sides must agree";
}

TEST(DataReport, CountsWhatCleaningChanges) {
  const Text text("a\n b\ne\u0301  c\nd\u200B\n\u00E9\n\t\n", "x\ny\nz\nx\ny\nz \n");
  const DataReport report = text.examine();
  EXPECT_EQ(report.sides[0].changed_lines.count, 3u) << "of the pairs in use";
  EXPECT_EQ(report.sides[0].changed_lines.first, text.line("a", "2, 3, 4"));
  EXPECT_EQ(report.sides[0].changes, (std::array<std::size_t, 3>{2, 1, 1}));
  EXPECT_EQ(report.sides[1].changed_lines.count, 0u);
  EXPECT_TRUE(any_contains(report.lines(), "  cleaning changed 3 source lines (first: " + text.line("a", "2, 3, 4") +
                                               "; spaces 2, removed characters 1, NFC 1), 0 target lines"));
  EXPECT_EQ(text.examine({100, "skip", "none"}).sides[0].changed_lines.count, 0u);
}

TEST(DataReport, CountsTargetsThatNoTranslationReaches) {
  const Text text("a b\na b\na\n\n", "x y z w\nx y z w v\nx y z w\nx y z w v\n");
  const auto caps = [](std::size_t source_pieces) { return source_pieces + 2; };
  const DataReport report = text.examine({}, kExamineAll, caps);
  EXPECT_EQ(report.unreachable.count, 2u) << "those of the cap's length can be reached";
  EXPECT_EQ(report.unreachable.first, text.line("a", "2, 3"));
  EXPECT_TRUE(any_contains(report.lines(), ", 2 with a target beyond decoding.max_length (first: "));
  EXPECT_TRUE(any_contains(report.warnings(), "2 of 3 targets are longer than a translation of their source may be"));
  EXPECT_EQ(text.examine().unreachable.count, 0u);
}

TEST(DataReport, HintsAtTextThatIsEncodedTwice) {
  const Text text("caf\u00C3\u00A9\nb\nc\n", "x\ny\nE\u00E2\u20AC\u2122s\n");
  const DataReport report = text.examine();
  EXPECT_EQ(report.sides[0].mojibake.first, text.line("a", "1"));
  EXPECT_EQ(report.sides[1].mojibake.first, text.line("a", "3"));
  EXPECT_TRUE(any_contains(report.warnings(), "1 of 3 source lines look like UTF-8 encoded twice (33.3 %"));
  EXPECT_TRUE(any_contains(report.warnings(), "1 of 3 target lines look like UTF-8 encoded twice (33.3 %"));
}

TEST(HasMojibake, KnowsUtf8ReadAsCp1252) {
  for (const char* text :
       {"caf\u00C3\u00A9", "\u00C3\u0178", "\u00E2\u20AC\u0153a", "\u00EC\u2022\u02C6\u00EB\u2026\u2022",
        "\u00EC\u0095\u0088\u00EB\u0085\u0095 TV", "Vi\u00E1\u00BB\u2021t", "\u00F0\u0178\u02DC\u20AC", "\u00C2\u00A0",
        "\u00D0\u0178\u00D1\u20AC"}) {
    EXPECT_TRUE(has_mojibake(text)) << text;
  }
  for (const char* text : {"", "plain", "caf\u00E9", "\u00C3O", "na\u00EFve", "\u00C0\u00BB", "3\u00D7\u00BB", "\u00C3",
                           "\u00E2\u20AC", "\uC548\uB155", "\u201E\u00C4pfel\u201C", "\u00E9\u2019", "\xC3",
                           "libert\u00E9\u00A0\u00BB", "LIBERT\u00C9\u00A0:", "CAF\u00C9\u00BB",
                           "\u201EMEN\u00DC\u201C", "\u00E0\u00A0\u00BB", "caf\u00C3\u00A9 caf\u00E9"}) {
    EXPECT_FALSE(has_mojibake(text)) << text;
  }
}

TEST(DataReport, CountsCopies) {
  const Text text("a b\nc\nd \n\n", "x\n c\nd\n\n");
  const DataReport report = text.examine();
  EXPECT_EQ(report.copies.count, 2u);
  EXPECT_EQ(report.copies.first, text.line("a", "2, 3"));
  EXPECT_TRUE(
      any_contains(report.warnings(), "2 of 3 pairs have the same text on both sides (66.7 %; warned from 2 %"));
}

TEST(DataReport, NumeralsMayRepeatAndBeCopied) {
  const DataReport report = Text("1 2\n7\n1 2\n", "1 2\n7\n1 2\n").examine();
  EXPECT_EQ(report.copies.count, 3u);
  EXPECT_EQ(report.duplicates.count, 1u);
  EXPECT_EQ(report.warnings(), std::vector<std::string>{});
  EXPECT_EQ(Text("1 2\n7\n1 2\n", "1 2\n7\n1 \xea\xb0\x80\n").examine().warnings().size(), 1u) << "copies";
}

TEST(DataReport, CountsDevelopmentLinesWithAnEmptySide) {
  Text text("a\nb\n", "x\ny\n");
  text.dev("b\n \nb\n", "x\nx\n\n").test("b\n", "x\n");
  const DataReport report = text.examine();
  EXPECT_EQ(report.held_out[0].blank.count, 2u);
  EXPECT_EQ(report.held_out[0].blank.first, text.line("da", "2, 3"));
  EXPECT_EQ(report.held_out[1].blank.count, 0u);
  EXPECT_TRUE(any_contains(report.lines(), "development data: 3 lines, 2 with an empty side (first: "));
  EXPECT_TRUE(any_contains(report.warnings(), "development data: 2 of 3 lines have an empty side"));
}

TEST(DataReport, CountsWhatTrainingHasOfDevelopmentAndTestText) {
  Text text("a\nb\nc\n\n", "x\ny\nz\nw\n");
  text.dev("a\nb\nd\n\nb\n", "x\nz\nx\nw\ny \n").test("c\n", "x\n");
  const DataReport report = text.examine();
  ASSERT_EQ(report.held_out.size(), 2u);
  const HeldOutReport& dev = report.held_out[0];
  EXPECT_EQ(dev.name, "development data");
  EXPECT_EQ(dev.lines, 5u);
  EXPECT_EQ(dev.pairs.count, 2u) << "the pair with an empty source is not trained on";
  EXPECT_EQ(dev.pairs.first, text.line("da", "1, 5"));
  EXPECT_EQ(dev.sources.count, 3u);
  EXPECT_EQ(dev.sources.first, text.line("da", "1, 2, 5"));
  EXPECT_EQ(report.held_out[1].name, "test data");
  EXPECT_EQ(report.held_out[1].pairs.count, 0u);
  EXPECT_EQ(report.held_out[1].sources.count, 1u);
  EXPECT_TRUE(any_contains(report.lines(), "development data: 5 lines, 1 with an empty side (first: "));
  const auto warnings = report.warnings();
  EXPECT_TRUE(any_contains(warnings, "development data: 2 of 5 lines are training pairs (40.0 %; warned from 1 %"));
  EXPECT_TRUE(any_contains(warnings, "test data: 1 of 1 sources are in training (100.0 %; warned from 5 %"));
}

TEST(DataReport, CountsTestPairsThatAreDevelopmentPairs) {
  Text text("a\nb\n", "x\ny\n");
  text.dev("c\nd\n", "z\nw\n").test("d\nc\n c\n", "w\nw\nz\n");
  const DataReport report = text.examine();
  EXPECT_EQ(report.held_out[0].shared.count, 0u);
  EXPECT_EQ(report.held_out[1].shared.count, 2u);
  EXPECT_TRUE(any_contains(report.lines(), "; in development data: 2 as pairs (first: " + text.line("ta", "1, 3")));
  EXPECT_TRUE(
      any_contains(report.warnings(), "test data: 2 of 3 lines are development pairs (66.7 %; warned from 1 %"));
}

TEST(DataReport, ListsCharactersThatTrainingLacks) {
  Text text("ab\ncd\n", "xy\nz!\n");
  text.dev("ab\nb?b\u00E9?\n\u00E9?\n", "a\nxz\n!\n");
  const DataReport report = text.examine();
  const auto& sides = report.held_out[0].sides;
  EXPECT_EQ(sides[0].unseen.count, 2u);
  EXPECT_EQ(sides[0].unseen.examples, "? U+003F, \u00E9 U+00E9") << "the most frequent first";
  EXPECT_EQ(sides[0].unseen_lines.count, 2u);
  EXPECT_EQ(sides[0].unseen_lines.first, text.line("da", "2, 3"));
  EXPECT_EQ(sides[1].unseen.examples, "a U+0061") << "it is in the other side alone";
  EXPECT_EQ(sides[0].pieces, 3u);
  EXPECT_EQ(sides[0].unknown, 2u);
  EXPECT_TRUE(any_contains(report.warnings(), "2 of 3 source lines have characters that the training source lacks"));
}

TEST(DescribeCharacters, ShowsFiveAndHidesControls) {
  const Characters many = describe_characters({U'a', U'b', U'\n', U'\u0085', U'e', U'f'});
  EXPECT_EQ(many.count, 6u);
  EXPECT_EQ(many.examples, "a U+0061, b U+0062, U+000A, U+0085, e U+0065, ...");
  EXPECT_EQ(describe_characters({0x202E, 0x2028, 0xE000, 0x941}).examples, "U+202E, U+2028, U+E000, \u0941 U+0941")
      << "nor what would turn the text around it";
}

TEST(DataReport, SuspectsSwappedSides) {
  const std::string source = repeat("the cat sees a dog\nthe dog runs\n", 3);
  const std::string target = repeat("die Katze sieht einen Hund\nder Hund rennt\n", 3);
  Text text(source, target);
  text.dev("der Hund sieht\ndie Katze 1\n", "the dog sees\na cat 1\n").test("the dog sees\n", "der Hund sieht\n");
  const DataReport swapped = text.examine();
  EXPECT_EQ(swapped.held_out[0].sides[0].words, 6u);
  EXPECT_EQ(swapped.held_out[0].sides[0].own_words, 0u);
  EXPECT_EQ(swapped.held_out[0].sides[0].other_words, 5u);
  EXPECT_EQ(swapped.held_out[1].sides[0].own_words, 3u);
  const auto warnings = swapped.warnings();
  EXPECT_TRUE(contains(warnings.at(0),
                       "development data: source and target look swapped: of its source words the "
                       "training target has 83.3 %, the training source 0 % (warned from 10 points"));
  EXPECT_TRUE(contains(warnings[0], text.line("da", "1, 2")));
  EXPECT_FALSE(any_contains(warnings, "test data: source and target look swapped"));
  text.dev("the dog sees\n", "a cat runs\n");
  EXPECT_TRUE(contains(text.examine().warnings().at(0), "development data: target looks like source: "));
}

TEST(DataReport, SuspectsNothingOfSidesWithTheSameWords) {
  Text text("1 2 3\n2 3 4\n3 4 1\n4 1 3\n", "3 2 1\n4 3 2\n1 4 3\n3 1 4\n");
  text.dev("1 2\n", "2 1\n");
  EXPECT_EQ(text.examine().warnings(), std::vector<std::string>{});
}

TEST(DataReport, WarnsFromThresholdsOn) {
  DataReport report;
  report.pairs.lines = 1000;
  report.pairs.kept = 901;
  report.sides[0].pieces = 1000;
  report.sides[0].unknown = 9;
  report.duplicates.count = 90;
  report.copies.count = 18;
  report.held_out.push_back({"development data", 1000, {9, ""}, {9, ""}, {49, ""}, {9, ""}, {}});
  report.held_out[0].sides[1].unseen_lines.count = 9;
  report.held_out[0].sides[1].words = 1000;
  report.held_out[0].sides[1].own_words = 500;
  report.held_out[0].sides[1].other_words = 599;
  EXPECT_EQ(report.warnings(), std::vector<std::string>{});
  report.pairs.kept = 900;
  EXPECT_EQ(report.warnings().size(), 3u) << "dropped, duplicates and copies";
  report.sides[0].unknown = 10;
  EXPECT_EQ(report.warnings().size(), 4u);
  report.held_out[0].sources.count = 50;
  EXPECT_EQ(report.warnings().size(), 5u);
  report.held_out[0].sides[1].other_words = 600;
  EXPECT_EQ(report.warnings().size(), 6u) << "never more than five, and how many more there are";
  EXPECT_EQ(report.warnings()[5], "1 more warning about the data left out; the report has the figures");
  report.unreachable.count = report.sides[1].mojibake.count = 9;
  EXPECT_EQ(report.warnings()[5], "3 more warnings about the data left out; the report has the figures");
  report.unreachable.count = report.sides[1].mojibake.count = 8;
  EXPECT_EQ(report.warnings()[5], "1 more warning about the data left out; the report has the figures");
  EXPECT_TRUE(contains(report.warnings()[0], "target looks like source"));
  report.pairs.kept = 901;
  report.duplicates.count = report.copies.count = 0;
  report.held_out[0].sides[1].unseen_lines.count = 10;
  EXPECT_EQ(report.warnings().size(), 3u) << "characters of another language come with it";
  report.held_out[0].sides[1].other_words = 599;
  EXPECT_EQ(report.warnings().size(), 3u);
  report.pairs.sampled = true;
  EXPECT_EQ(report.warnings().size(), 2u) << "a sample lacks characters that the rest may have";
}

TEST(Examine, TakesAFixedSampleOfALargeCorpus) {
  const Text text("a\na\nb\nb\nc\n\nd\ne\n", "x\nx\ny\ny\nz\nz\nw\nv\n");
  const DataReport sample = text.examine({}, 4);  // lines 1, 3, 5 and 7
  EXPECT_TRUE(sample.pairs.sampled);
  EXPECT_EQ(sample.pairs.lines, 4u);
  EXPECT_EQ(sample.duplicates.count, 0u);
  EXPECT_EQ(sample.sides[0].characters, 4u);
  EXPECT_TRUE(contains(sample.lines()[0], "0 of 4 sampled pairs dropped"));
  const DataReport all = text.examine({}, 8);
  EXPECT_FALSE(all.pairs.sampled);
  EXPECT_EQ(all.duplicates.count, 2u);
  EXPECT_TRUE(contains(all.lines("training data, first epoch")[0], "training data, first epoch: 1 of 8 pairs dropped"));
}

TEST(Examine, SeesTheTextOfPairsThatAreCached) {
  Text text("a b\nc\na b\n", "a b\nx\na b\n");
  text.dev("c\n", "x\n");
  const PairEncoder encoder = text.encoder();
  const auto first = examine(encoder).lines();
  EXPECT_EQ(examine(encoder).lines(), first);
}

}  // namespace
}  // namespace dragoman
