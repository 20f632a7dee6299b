#include "data/tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "core/rng.h"
#include "data/clean.h"
#include "data/temp_files.h"
#include "data/tokenizer_pair.h"
#include "io/line_reader.h"

namespace dragoman {
namespace {

using testing::contains;
using testing::dirty;
using testing::TempFiles;
using testing::user_error;
using Lines = std::vector<std::string>;
using Ids = std::vector<TokenId>;
using TokenizerPtr = std::shared_ptr<const Tokenizer>;

TrainingText text_of(const Lines& lines) {
  return {lines.size(), [&lines](std::size_t i) { return lines[i]; }};
}

struct Kind {
  const char* type;
  const char* model_type;
};

TokenizerOptions options_of(Kind kind, std::size_t vocab_size = 8000) {
  TokenizerOptions options;
  options.type = kind.type;
  options.model_type = kind.model_type;
  options.vocab_size = vocab_size;
  return options;
}

TokenizerPtr train(const TokenizerOptions& options, const Lines& lines, std::vector<std::string>* warnings = nullptr) {
  return train_tokenizer(options, text_of(lines), 1, warnings);
}

const Lines kText = {"the cat sees the dog", "the dog sees the house",         "a house is a house",
                     "the cat and the dog",  "d\u00E9j\u00E0 vu is a feeling", "\uD55C\uAD6D\uC5B4 is a language"};
// Text that spells control tokens and other markup.
const Lines kMarkup = {
    "<s> A dog </s>",       "The token <unk> and <pad>",    "a ||| b ||| c", "100% of %s {0}", "C:\\new\\table \\n",
    "&lt;b&gt; \"quoted\"", "@@ @-@ ##ing \u0120word </w>", "</s>",          "<unk>",          "a\u2047b \u2047",
    "<s></s><unk>"};

class EveryTokenizer : public ::testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, EveryTokenizer,
                         ::testing::Values(Kind{"sentencepiece", "bpe"}, Kind{"sentencepiece", "unigram"},
                                           Kind{"word", ""}, Kind{"char", ""}),
                         [](const auto& info) { return std::string(info.param.type) + info.param.model_type; });

TEST_P(EveryTokenizer, RoundTripsItsTrainingText) {
  const auto tokenizer = train(options_of(GetParam()), kText);
  for (const std::string& line : kText) {
    const Ids ids = tokenizer->encode(line);
    EXPECT_EQ(tokenizer->decode(ids), line);
    EXPECT_TRUE(std::all_of(ids.begin(), ids.end(), [&](TokenId id) {
      return id > kEos && static_cast<std::size_t>(id) < tokenizer->size();
    })) << line;
  }
  EXPECT_TRUE(tokenizer->encode("").empty());
  EXPECT_EQ(tokenizer->decode({}), "");
}

TEST_P(EveryTokenizer, NeverMakesControlTokensOutOfText) {
  const auto tokenizer = train(options_of(GetParam()), kMarkup);
  for (const std::string& line : kMarkup) {
    const Ids ids = tokenizer->encode(line);
    EXPECT_EQ(tokenizer->decode(ids), line);
    for (const TokenId id : ids) EXPECT_GT(id, kEos) << line;
  }
  const auto other = train(options_of(GetParam()), kText);
  for (const std::string& line : kMarkup) {
    for (const TokenId id : other->encode(line)) EXPECT_TRUE(id != kBos && id != kEos) << line;
  }
}

TEST_P(EveryTokenizer, NamesItsControlTokens) {
  const auto tokenizer = train(options_of(GetParam()), kText);
  EXPECT_EQ(tokenizer->piece(kUnk), "<unk>");
  EXPECT_EQ(tokenizer->piece(kBos), "<s>");
  EXPECT_EQ(tokenizer->piece(kEos), "</s>");
  EXPECT_THROW((void)tokenizer->piece(static_cast<TokenId>(tokenizer->size())), std::logic_error);
  EXPECT_THROW((void)tokenizer->piece(-1), std::logic_error);
}

TEST_P(EveryTokenizer, ShowsUnknownAndLeavesOutControlTokens) {
  const auto tokenizer = train(options_of(GetParam()), kText);
  const Ids ids = tokenizer->encode("\u4E2D");
  EXPECT_TRUE(std::find(ids.begin(), ids.end(), kUnk) != ids.end());
  EXPECT_TRUE(contains(tokenizer->decode(ids), "\u2047"));
  Ids framed = tokenizer->encode(kText[0]);
  framed.insert(framed.begin(), kBos);
  framed.push_back(kEos);
  EXPECT_EQ(tokenizer->decode(framed), kText[0]);
}

TEST_P(EveryTokenizer, IsDeterministicAndSurvivesSaving) {
  const TempFiles files;
  const auto first = train(options_of(GetParam()), kText);
  const auto second = train(options_of(GetParam()), kText);
  EXPECT_EQ(first->serialize(), second->serialize());
  const std::string path = files.path("t" + first->extension());
  first->save(path);
  const auto loaded = load_tokenizer(path);
  EXPECT_EQ(loaded->serialize(), first->serialize());
  EXPECT_EQ(loaded->size(), first->size());
  for (const std::string& line : kText) EXPECT_EQ(loaded->encode(line), first->encode(line));
}

TEST_P(EveryTokenizer, TrainsOnOneLineAndOnOneCharacter) {
  for (const Lines& lines : {Lines{"A dog runs on the beach."}, Lines{"x"}, Lines{"", "x", ""}}) {
    const auto tokenizer = train(options_of(GetParam()), lines);
    for (const std::string& line : lines) EXPECT_EQ(tokenizer->decode(tokenizer->encode(line)), line);
  }
}

TEST_P(EveryTokenizer, RefusesTextWithoutWords) {
  EXPECT_TRUE(contains(user_error([&] { (void)train(options_of(GetParam()), {"", " ", ""}); }), "no words"));
  EXPECT_TRUE(contains(user_error([&] { (void)train(options_of(GetParam()), {}); }), "no words"));
}

TEST_P(EveryTokenizer, EncodesAlikeFromSeveralThreads) {
  const auto tokenizer = train(options_of(GetParam()), kText);
  std::vector<Ids> expected;
  for (const std::string& line : kText) expected.push_back(tokenizer->encode(line));
  std::vector<int> wrong(4, 0);
  std::vector<std::jthread> threads;
  for (int& count : wrong) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        for (std::size_t i = 0; i < kText.size(); ++i) count += tokenizer->encode(kText[i]) != expected[i];
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST_P(EveryTokenizer, NeedsNoQuadraticTimeForLongWords) {
  Lines lines = kText;
  std::string word;
  Rng rng(3);
  for (int i = 0; i < 70'000; ++i) word += static_cast<char>('a' + rng.below(8));
  lines.push_back(word);
  const std::clock_t begin = std::clock();
  const auto tokenizer = train(options_of(GetParam(), 300), lines);
  const Ids ids = tokenizer->encode(word);
  EXPECT_LT(std::clock() - begin, 15 * CLOCKS_PER_SEC);
  EXPECT_EQ(tokenizer->decode(ids), word);
}

class SubwordTokenizer : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Kinds, SubwordTokenizer, ::testing::Values("bpe", "unigram"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(SubwordTokenizer, ReducesATooLargeVocabularyWithAWarning) {
  std::vector<std::string> warnings;
  const auto tokenizer = train(options_of({"sentencepiece", GetParam()}), kText, &warnings);
  EXPECT_LT(tokenizer->size(), 300u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(contains(warnings[0], "tokenizer.vocab_size")) << warnings[0];
  EXPECT_TRUE(contains(warnings[0], std::to_string(tokenizer->size()))) << warnings[0];
}

TEST_P(SubwordTokenizer, HasTheSizeAskedForWithoutWarning) {
  Lines lines = kText;
  Rng rng(1);
  for (int i = 0; i < 300; ++i) {
    std::string line;
    for (int k = 0; k < 6; ++k) line += "w" + std::to_string(rng.below(500)) + " ";
    lines.push_back(clean_text(line));
  }
  std::vector<std::string> warnings;
  EXPECT_EQ(train(options_of({"sentencepiece", GetParam()}, 100), lines, &warnings)->size(), 100u);
  EXPECT_TRUE(warnings.empty());
}

TEST_P(SubwordTokenizer, NamesTheKeyWhenTheVocabularyIsTooSmall) {
  const std::string message = user_error([&] { (void)train(options_of({"sentencepiece", GetParam()}, 10), kText); });
  EXPECT_TRUE(contains(message, "tokenizer.vocab_size: 10 is too small")) << message;
}

TEST_P(SubwordTokenizer, TakesTheReservedBlockForASpaceInTraining) {
  const auto tokenizer = train(options_of({"sentencepiece", GetParam()}), {"a\u2585bc", "c"});
  EXPECT_EQ(tokenizer->decode(tokenizer->encode("a bc")), "a bc");
}

TEST(SentencePieceTokenizer, RefusesWhatIsNoModel) {
  const TempFiles files;
  const std::string message = user_error([&] { (void)load_tokenizer(files.write("x.model", "no model at all")); });
  EXPECT_TRUE(contains(message, "x.model") && contains(message, "not a SentencePiece model")) << message;
}

TEST(SentencePieceTokenizer, RefusesDamagedModelsOrReadsThem) {
  const TempFiles files;
  for (const char* model_type : {"unigram", "bpe"}) {
    const std::string model = train(options_of({"sentencepiece", model_type}, 40), kText)->serialize();
    int refused = 0;
    for (std::size_t i = 0; i < model.size(); i += 3) {
      std::string damaged = model;
      damaged[i] = '\0';  // in a piece this makes SentencePiece throw
      files.write("x.model", damaged);
      try {
        (void)load_tokenizer(files.path("x.model"))->encode("a b");
      } catch (const UserError& e) {
        ++refused;
        EXPECT_TRUE(contains(e.what(), "x.model")) << e.what();
      }
    }
    EXPECT_GT(refused, 0);
  }
}

TEST(WordTokenizer, OrdersByFrequencyThenBytes) {
  const auto tokenizer = train(options_of({"word", ""}), {"b a c b", "b a d"});
  ASSERT_EQ(tokenizer->size(), 7u);
  EXPECT_EQ(tokenizer->encode("b a c d"), (Ids{3, 4, 5, 6}));
  EXPECT_EQ(tokenizer->encode("  b   z "), (Ids{3, kUnk}));
  EXPECT_EQ(tokenizer->decode(Ids{3, kUnk, 4}), "b \u2047 a");
}

TEST(WordTokenizer, KeepsToMinFrequencyAndVocabSize) {
  TokenizerOptions options = options_of({"word", ""}, 5);
  EXPECT_EQ(train(options, {"b a c b", "b a d"})->encode("b a c"), (Ids{3, 4, kUnk}));
  options = options_of({"word", ""});
  options.min_frequency = 3;
  EXPECT_EQ(train(options, {"b a c b", "b a d"})->size(), 4u);
}

TEST(WordTokenizer, SavesTokensWithUnusualCharacters) {
  const TempFiles files;
  const Lines lines = {"a\tb c\u2028d \"q\" \\n \u00A0 \x01 </s> \u2581x"};
  const auto tokenizer = train(options_of({"word", ""}), lines);
  EXPECT_EQ(tokenizer->size(), 3u + 8u);
  tokenizer->save(files.path("t.json"));
  const auto loaded = load_tokenizer(files.path("t.json"));
  EXPECT_EQ(loaded->decode(loaded->encode(lines[0])), lines[0]);
}

TEST(CharTokenizer, MakesOneTokenOfEachCodePoint) {
  const auto tokenizer = train(options_of({"char", ""}), {"a \u00E9\U0001F600"});
  EXPECT_EQ(tokenizer->size(), 7u);
  EXPECT_EQ(tokenizer->encode("a\u00E9 \U0001F600z").size(), 5u);
  EXPECT_EQ(tokenizer->decode(Ids{kUnk}), "\u2047");
}

TEST(LoadTokenizer, ReportsWhatIsWrong) {
  const TempFiles files;
  const auto message = [&](const std::string& contents) {
    return user_error([&] { (void)load_tokenizer(files.write("v.json", contents)); });
  };
  EXPECT_TRUE(contains(message(""), "v.json: is empty"));
  EXPECT_TRUE(contains(message("{\"format\": 1"), "v.json"));
  EXPECT_TRUE(contains(message("{\"format\": 99, \"type\": \"word\", \"pieces\": []}"), "newer"));
  for (const char* format : {"-1", "0", "1.5", "1e300", "\"1\"", "null"}) {
    const std::string text = std::string("{\"format\": ") + format + ", \"type\": \"word\", \"pieces\": []}";
    EXPECT_TRUE(contains(message(text), "format is not a number")) << format;
  }
  EXPECT_TRUE(contains(message("{\"format\": 1, \"type\": \"emoji\", \"pieces\": []}"), "emoji"));
  EXPECT_TRUE(contains(message("{\"format\": 1, \"type\": \"word\", \"pieces\": [1]}"), "v.json"));
  EXPECT_TRUE(contains(message("{\"format\": 1, \"type\": \"word\", \"pieces\": []}"), "without any piece"));
  for (const char* symbols : {"2", "-1", "\"a\"", "null"}) {
    const std::string text =
        std::string("{\"format\": 2, \"symbols\": ") + symbols + ", \"type\": \"char\", \"pieces\": [\"a\"]}";
    EXPECT_TRUE(contains(message(text), "symbols is not a number of its pieces")) << symbols;
  }
  EXPECT_TRUE(contains(message("{\"format\": 2, \"type\": \"char\", \"pieces\": [\"a\"]}"), "v.json"));
  EXPECT_TRUE(contains(message("{\"format\": 2, \"symbols\": 1, \"type\": \"char\", \"pieces\": [\"\"]}"),
                       "a symbol is empty"));
  EXPECT_TRUE(contains(message("{\"format\": 1, \"type\": \"word\", \"pieces\": [\"a\", \"a\"]}"), "twice"));
  EXPECT_TRUE(contains(message("{\"format\": 1, \"type\": \"word\", \"pieces\": [\"a\\nb\"]}"), "line feed"));
  EXPECT_TRUE(contains(user_error([&] { (void)load_tokenizer(files.path("none.json")); }), "none.json"));
}

TEST(TrainTokenizer, RefusesUnknownAlgorithms) {
  EXPECT_TRUE(contains(user_error([] {
                         (void)train(options_of({"sentencepiece", "wp"}), kText);
                       }),
                       "tokenizer.model_type"));
}

TEST(TokenizerPair, SavesAndLoadsSharedAndSeparate) {
  const TempFiles files;
  const auto a = train(options_of({"word", ""}), {"a b"});
  const auto b = train(options_of({"sentencepiece", "bpe"}), {"b c d"});
  EXPECT_TRUE(contains(user_error([&] { (void)TokenizerPair::load(files.directory()); }), "no tokenizer"));
  TokenizerPair{a, b}.save(files.directory());
  const TokenizerPair pair = TokenizerPair::load(files.directory());
  EXPECT_FALSE(pair.shared());
  EXPECT_EQ(pair.source->serialize(), a->serialize());
  EXPECT_EQ(pair.target->serialize(), b->serialize());
  EXPECT_TRUE(std::filesystem::exists(files.path("source.json")) &&
              std::filesystem::exists(files.path("target.model")));
  TokenizerPair{a, a}.save(files.directory());
  EXPECT_TRUE(TokenizerPair::load(files.directory()).shared());
}

TEST(TokenizerPair, TrainsOnTheCorpusOrTakesReadyModels) {
  const TempFiles files;
  const Corpus corpus({{files.write("a", "x y\nz\n")}, {files.write("b", "p\nq  q\n")}, {}});
  TokenizerOptions options = options_of({"word", ""});
  const TokenizerPair shared = train_tokenizers(options, corpus, "clean", 1, nullptr);
  EXPECT_TRUE(shared.shared());
  EXPECT_EQ(shared.source->size(), 3u + 5u);
  options.shared = false;
  const TokenizerPair separate = train_tokenizers(options, corpus, "clean", 1, nullptr);
  EXPECT_EQ(separate.source->size(), 3u + 3u);
  EXPECT_EQ(separate.target->size(), 3u + 2u);
  separate.save(files.directory());
  options.model_file = files.path("source.json");
  EXPECT_TRUE(
      contains(user_error([&] { (void)train_tokenizers(options, corpus, "clean", 1, nullptr); }), "target_model_file"));
  options.target_model_file = files.path("target.json");
  const TokenizerPair ready = train_tokenizers(options, corpus, "clean", 1, nullptr);
  EXPECT_EQ(ready.target->serialize(), separate.target->serialize());
  options.type = "char";
  EXPECT_TRUE(contains(user_error([&] { (void)train_tokenizers(options, corpus, "clean", 1, nullptr); }),
                       "source.json is a tokenizer of type word, but tokenizer.type is char"));
}

TEST_P(EveryTokenizer, LearnsTheSameFromCarriageReturnsAsWithout) {
  SKIP_WITHOUT_DIRTY_TEXT();
  const TempFiles files;
  ParallelFiles with{{dirty("01-crlf.en")}, {dirty("01-crlf.de")}, {}};
  ParallelFiles without;
  for (const char* name : {"01-crlf.en", "01-crlf.de"}) {
    std::string text;
    for (const std::string& line : read_lines(dirty(name))) text += line + "\n";
    (without.source.empty() ? without.source : without.target).push_back(files.write(name, text));
  }
  const auto trained = [&](const ParallelFiles& paths) {
    return train_tokenizers(options_of(GetParam()), Corpus(paths), "clean", 1, nullptr).source;
  };
  const auto tokenizer = trained(with);
  EXPECT_EQ(tokenizer->serialize(), trained(without)->serialize());
  for (std::size_t i = 0; i < tokenizer->size(); ++i) {
    EXPECT_FALSE(contains(tokenizer->piece(static_cast<TokenId>(i)), "\r"));
  }
}

TEST_P(EveryTokenizer, RoundTripsDirtyMarkup) {
  SKIP_WITHOUT_DIRTY_TEXT();
  const ParallelFiles paths{{dirty("16-markup.en")}, {dirty("16-markup.de")}, {}};
  const TokenizerPtr tokenizer = train_tokenizers(options_of(GetParam()), Corpus(paths), "clean", 1, nullptr).source;
  for (const std::string& path : {paths.source[0], paths.target[0]}) {
    for (const std::string& line : read_lines(path)) {
      const std::string cleaned = clean_text(line);
      const Ids ids = tokenizer->encode(cleaned);
      for (const TokenId id : ids) EXPECT_GT(id, kEos) << line;
      const bool exact = std::string(GetParam().type) != "sentencepiece" || !contains(line, "\u2581");
      EXPECT_TRUE(!exact || tokenizer->decode(ids) == cleaned) << line;
    }
  }
}

TEST_P(EveryTokenizer, HandlesDirtyLongLines) {
  SKIP_WITHOUT_DIRTY_TEXT();
  const ParallelFiles paths{{dirty("13-long.en")}, {dirty("13-long.de")}, {}};
  const std::clock_t begin = std::clock();
  const TokenizerPtr tokenizer = train_tokenizers(options_of(GetParam()), Corpus(paths), "clean", 1, nullptr).source;
  for (const std::string& line : read_lines(paths.source[0])) {
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(clean_text(line))), clean_text(line));
  }
  EXPECT_LT(std::clock() - begin, 15 * CLOCKS_PER_SEC);
}

}  // namespace
}  // namespace dragoman
