// What tokenizers do beyond text and back: user-defined symbols, words in the place of unknown ones, control tokens of
// ready models, pieces that two vocabularies share.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "data/shared_pieces.h"
#include "data/temp_files.h"
#include "data/tokenizer.h"
#include "support/sentencepiece_model.h"

namespace dragoman {
namespace {

using testing::contains;
using testing::TempFiles;
using testing::user_error;
using Lines = std::vector<std::string>;
using Ids = std::vector<TokenId>;

TokenizerOptions options_of(const std::string& type, std::size_t vocab_size) {
  TokenizerOptions options;
  options.type = type == "unigram" ? "sentencepiece" : type;
  if (type == "unigram") options.model_type = type;
  options.vocab_size = vocab_size;
  return options;
}

std::shared_ptr<const Tokenizer> train(const TokenizerOptions& options, const Lines& lines) {
  return train_tokenizer(options, {lines.size(), [&](std::size_t i) { return lines[i]; }}, 1, nullptr);
}

const Lines kText = {"the cat sees the dog", "the dog sees the house",         "a house is a house",
                     "the cat and the dog",  "d\u00E9j\u00E0 vu is a feeling", "\uD55C\uAD6D\uC5B4 is a language"};

class TokenizerOf : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Kinds, TokenizerOf, ::testing::Values("sentencepiece", "unigram", "word", "char"));

TEST_P(TokenizerOf, KeepsUserDefinedSymbolsWhole) {
  TokenizerOptions options = options_of(GetParam(), 60);
  options.user_defined_symbols = {"<b>", "<b>bold", "a,\"b\"", "\uD55C\uAD6D"};
  const auto tokenizer = train(options, kText);
  const auto loaded = [&] {
    const TempFiles files;
    tokenizer->save(files.path("t"));
    return load_tokenizer(files.path("t"));
  }();
  for (const std::string& symbol : options.user_defined_symbols) {
    const std::string line = "the " + symbol + " cat " + symbol;
    for (const auto& t : {tokenizer, loaded}) {
      const Ids ids = t->encode(line);
      EXPECT_EQ(std::count_if(ids.begin(), ids.end(), [&](TokenId id) { return t->piece(id) == symbol; }), 2) << symbol;
      EXPECT_EQ(std::count(ids.begin(), ids.end(), kUnk), 0) << "a symbol is known, whether the text has it or not";
      EXPECT_EQ(t->decode(ids), line);
      EXPECT_EQ(t->surfaces(line).size(), ids.size());
    }
  }
  if (std::string(GetParam()) == "word") return;
  const std::string glued = "the<b>bold<b>cat";
  EXPECT_EQ(tokenizer->decode(tokenizer->encode(glued)), glued);
}

TEST_P(TokenizerOf, WritesGivenWordsInThePlaceOfUnknownOnes) {
  const auto tokenizer = train(options_of(GetParam(), 60), kText);
  const std::string line = "the \u9F98 cat \u9F98";
  const Ids ids = tokenizer->encode(line);
  const std::vector<std::string> surfaces = tokenizer->surfaces(line);
  ASSERT_EQ(surfaces.size(), ids.size());
  std::vector<std::string> unknown;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == kUnk) unknown.push_back(surfaces[i]);
  }
  EXPECT_EQ(unknown, (std::vector<std::string>{"\u9F98", "\u9F98"}));
  EXPECT_EQ(tokenizer->decode(ids, unknown), line);
  unknown[1] = "dog";
  EXPECT_EQ(tokenizer->decode(ids, unknown), "the \u9F98 cat dog");
}

TEST_P(TokenizerOf, SharesPiecesWithAnotherVocabulary) {
  const auto then = train(options_of(GetParam(), 60), kText);
  EXPECT_EQ(shared_pieces(*then, *then)[then->size() - 1], static_cast<TokenId>(then->size()) - 1);
  const auto now = train(options_of(GetParam(), 60), {"the cat saw a xyz", "a xyz is the cat"});
  const std::vector<TokenId> from = shared_pieces(*now, *then);
  ASSERT_EQ(from.size(), now->size());
  EXPECT_EQ((Ids{from.begin(), from.begin() + 3}), (Ids{kUnk, kBos, kEos}));
  std::size_t shared = 0;
  for (std::size_t id = 3; id < from.size(); ++id) {
    if (from[id] < 0) continue;
    EXPECT_EQ(now->piece(static_cast<TokenId>(id)), then->piece(from[id]));
    ++shared;
  }
  EXPECT_GT(shared, 2U);
  EXPECT_LT(shared + 3, from.size()) << "x, y, z are new";
}

TEST(SentencePieceTokenizer, KnowsTheControlTokensOfReadyModels) {
  const TempFiles files;
  const auto trained = train(options_of("sentencepiece", 60), kText);
  const auto size = static_cast<TokenId>(trained->size());
  const auto ready = load_tokenizer(
      files.write("m.model", trained->serialize() + testing::control_piece("<pad>") + testing::unused_piece("<gap>")));
  ASSERT_EQ(ready->size(), trained->size() + 2);
  for (TokenId id = 0; id < size; ++id) EXPECT_EQ(ready->is_control(id), id == kBos || id == kEos) << id;
  EXPECT_TRUE(ready->is_control(size));
  EXPECT_TRUE(ready->is_control(size + 1));
  EXPECT_EQ(ready->decode(Ids{size}), "");
  for (const TokenId id : ready->encode("the <pad> cat <gap>")) EXPECT_LT(id, size);
}

TEST(Vocabulary, SymbolsNeedRoomAndComeFirst) {
  TokenizerOptions options = options_of("word", 5);
  options.user_defined_symbols = {"<x>", "cat"};
  const auto tokenizer = train(options, {"a <x> cat"});
  EXPECT_EQ(tokenizer->size(), 5U);
  EXPECT_EQ(tokenizer->piece(3), "<x>");
  EXPECT_EQ(tokenizer->piece(4), "cat");
  options.vocab_size = 4;
  EXPECT_TRUE(contains(user_error([&] { (void)train(options, {"a b"}); }), "tokenizer.vocab_size: found 4"));
}

}  // namespace
}  // namespace dragoman
