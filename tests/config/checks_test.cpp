// Combinations that can't work and keys that would do nothing.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "config/config.h"
#include "core/error.h"

namespace dragoman {
namespace {

using Overrides = std::vector<std::string>;

const std::string kDev = "data.dev={source: d.en, target: d.ko}";

std::string problem(const Overrides& overrides) {
  try {
    parse_config("name: n", "my.yaml", overrides);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
#define EXPECT_FINE(...) EXPECT_EQ(problem(__VA_ARGS__), "no error")

struct Case {
  Overrides overrides;
  std::string part;  ///< of the message
};

/// Each must fail with one problem that has this part and a hint.
void expect_problems(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const std::string text = problem(c.overrides);
    EXPECT_HAS(text, c.part);
    EXPECT_HAS(text, "; ");
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST(ConfigChecks, DotScoresNeedEqualSizes) {
  const std::string dot = "model.decoder.attention.score=dot";
  const std::string text = problem({dot});
  EXPECT_HAS(text,
             "--set: model.decoder.attention.score: found dot with model.decoder.hidden_size 128 and "
             "model.encoder.hidden_size 128 and model.encoder.bidirectional true");
  EXPECT_HAS(text, "a query (128) as wide as a key (256, both directions)");
  EXPECT_HAS(text, "use score general, or decoder.hidden_size 256");
  EXPECT_HAS(problem({"model.decoder.attention.score=scaled_dot"}), "use score general");
  EXPECT_FINE({dot, "model.decoder.hidden_size=256"});
  EXPECT_FINE({dot, "model.encoder.bidirectional=false"});
  EXPECT_FINE({"model.decoder.attention.score=general"});
}

TEST(ConfigChecks, EveryScoreWorksWithEveryQuery) {
  for (const char* score : {"none", "dot", "scaled_dot", "general", "additive"}) {
    for (const char* query : {"previous", "between", "current"}) {
      EXPECT_FINE({std::string("model.decoder.attention.score=") + score,
                   std::string("model.decoder.attention.query=") + query, "model.decoder.hidden_size=256"});
    }
  }
}

std::vector<std::string> warnings_of(const Overrides& overrides) {
  std::vector<std::string> warnings;
  (void)parse_config("name: n", "my.yaml", overrides, Files::may_be_missing, &warnings);
  return warnings;
}

TEST(ConfigWarnings, ATrialMayEndWithinTheWarmup) {
  for (const char* type : {"constant", "inverse_sqrt", "linear", "cosine"}) {
    const Overrides trial = {std::string("training.schedule.type=") + type, "training.schedule.warmup=200",
                             "training.max_epochs=0", "training.max_updates=60"};
    const std::vector<std::string> found = warnings_of(trial);
    ASSERT_EQ(found.size(), 1U) << type;
    EXPECT_HAS(found[0],
               "training.schedule.warmup: found 200 with training.max_updates 60, expected a warmup that ends");
  }
}

TEST(ConfigWarnings, ARateOfZeroTeachesNothing) {
  const Overrides early = {"training.schedule.type=cosine", "training.schedule.total=50", "training.max_updates=60",
                           "training.max_epochs=0"};
  const std::vector<std::string> found = warnings_of(early);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_HAS(found[0], "training.schedule.total: found 50 with training.max_updates 60");
  Overrides higher = early;
  higher.push_back("training.schedule.final_factor=0.1");
  EXPECT_TRUE(warnings_of(higher).empty());
}

TEST(ConfigWarnings, WhatIsWrittenOutOrShippedBringsNone) {
  std::vector<std::string> warnings;
  const Config config = parse_config("training: {max_updates: 5}", "my.yaml");
  (void)parse_config(emit_config(config), "whole.yaml", {}, Files::may_be_missing, &warnings);
  EXPECT_TRUE(warnings.empty());
  for (const auto& entry : std::filesystem::directory_iterator(std::string(DRAGOMAN_ROOT) + "/configs")) {
    (void)load_config(entry.path().string(), {}, Files::may_be_missing, &warnings);
    EXPECT_TRUE(warnings.empty()) << entry.path() << ": " << warnings[0];
  }
}

TEST(ConfigChecks, NamesTheLineOfTheKeyThatWasSet) {
  try {
    parse_config("model:\n  decoder:\n    input_feeding: true\n", "my.yaml");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "my.yaml:3: model.decoder.input_feeding: found true with model.decoder.attention.query previous, expected "
        "query current, because only there the readout can feed the next step; use query current, or "
        "input_feeding: false");
  }
}

TEST(ConfigChecks, ModelCombinations) {
  expect_problems({
      {{"model.decoder.init=last"}, "an encoder state (256, both directions) as wide as the decoder's (128)"},
      {{"model.decoder.init=zero", "model.decoder.attention={score: none, context: start}"}, "sees the source"},
      {{"model.decoder.attention.size=5", "model.decoder.attention.score=general"},
       "only a score that projects queries"},
      {{"model.decoder.attention.context=start"}, "with attention the context is new at every step"},
      {{"model.tied_embeddings=all", "tokenizer.shared=false"}, "a shared tokenizer"},
      {{"model.tied_embeddings=all", "model.encoder.embedding_size=5"}, "equal widths of the embeddings"},
      {{"model.dropout.layers=0.1"}, "nothing lies between recurrent layers of one"},
      {{"model.dropout.context=0.1", "model.decoder.attention.score=none"}, "no keys and values"},
      {{"model.init.scale=0.2"}, "only normal and uniform read it"},
      {{"model.init.forget_bias=2"}, "the cell has no forget gate"},
  });
  EXPECT_FINE({"model.decoder.init=last", "model.encoder.hidden_size=64"});
  EXPECT_FINE({"model.tied_embeddings=target", "model.decoder.embedding_size=5"});
  EXPECT_FINE({"model.tied_embeddings=target", "tokenizer.shared=false"});
}

TEST(ConfigChecks, TransformerCombinations) {
  const std::string encoder = "model.encoder.type=transformer";
  const std::string decoder = "model.decoder.type=transformer";
  expect_problems({
      {{"model.encoder.heads=3"}, "only type transformer reads it"},
      {{encoder, "model.encoder.cell=lstm"}, "with model.encoder.type transformer, expected gru (the default)"},
      {{decoder, "model.decoder.attention.score=general"}, "only type rnn reads it"},
      {{encoder, "model.encoder.heads=3"}, "found 3 with model.encoder.model_size 128, expected heads that divide"},
      {{decoder, "model.decoder.heads=3", "model.decoder.key_size=4"}, "heads that divide model_size"},
      {{encoder, "model.encoder.max_positions=500"}, "only learned positions have a table"},
      {{encoder, "model.encoder.positions=learned", "model.encoder.max_positions=100"},
       "max_positions above max_length"},
      {{encoder, "model.decoder.attention.score=dot", "model.encoder.model_size=64"}, "as a key (64)"},
      {{encoder, "model.decoder.init=last", "model.encoder.model_size=64"}, "an encoder state (64)"},
      {{encoder, "model.tied_embeddings=all", "model.encoder.model_size=64"}, "equal widths of the embeddings"},
      {{encoder, decoder, "model.dropout.layers=0.1"}, "only recurrent layers read it"},
      {{"model.dropout.residual=0.1"}, "only Transformer layers read it"},
      {{decoder, "model.dropout.readout=0.1"}, "only a recurrent decoder has a readout layer"},
      {{encoder, decoder, "model.init.recurrent=xavier"}, "only type rnn has hidden-to-hidden matrices"},
      {{encoder, decoder, "model.init.forget_bias=2"}, "only type rnn has a forget gate"},
  });
  EXPECT_FINE({encoder, decoder});
  EXPECT_FINE({encoder, decoder, "model.encoder.model_size=64", "model.dropout={context: 0.1, ffn: 0.1}"});
  EXPECT_FINE({encoder, "model.encoder.heads=3", "model.encoder.key_size=4", "model.encoder.value_size=5"});
  EXPECT_FINE({encoder, "model.decoder.attention.score=dot"});
  EXPECT_FINE({decoder, "model.dropout.layers=0.1", "model.encoder.layers=2"});
}

TEST(ConfigChecks, AveragesExcludeEachOtherAndNeedCheckpoints) {
  expect_problems({
      {{"training.checkpoints.average_last=2", "training.ema=0.99"}, "expected one of the two"},
      {{"training.checkpoints.average_last=4"}, "found 4 with training.checkpoints.keep 3, expected at most keep"},
      {{"training.checkpoints.average_last=1"}, "expected 0 (off) or at least 2"},
  });
  EXPECT_FINE({"training.checkpoints.average_last=5", "training.checkpoints.keep=5"});
}

TEST(ConfigChecks, SamplingNeedsSentencePiece) {
  const std::string on = "tokenizer.sampling.alpha=0.1";
  expect_problems({{{on, "tokenizer.type=word"}, "only sentencepiece samples pieces"}});
  EXPECT_FINE({on});
  EXPECT_FINE({on, "tokenizer.model_type=unigram"});
}

TEST(ConfigChecks, OptimizerKeysBelongToTheirOptimizer) {
  const std::string sgd = "training.optimizer.type=sgd";
  expect_problems({
      {{"training.optimizer.momentum=0.9"}, "found 0.9 with training.optimizer.type adam, expected 0.0 (the default)"},
      {{"training.optimizer.weight_decay=0.1"}, "only adamw reads it"},
      {{"training.optimizer.weight_decay=0.1", sgd}, "only adamw reads it"},
      {{"training.optimizer.betas=[0.9, 0.98]", sgd}, "only adam or adamw reads it"},
      {{"training.optimizer.epsilon=1e-6", sgd}, "only adam or adamw reads it"},
  });
}

TEST(ConfigChecks, ScheduleKeysBelongToTheirSchedule) {
  const std::string linear = "training.schedule.type=linear";
  expect_problems({
      {{"training.schedule.total=5"}, "only linear or cosine reads it"},
      {{"training.schedule.final_factor=0.5"}, "only linear or cosine reads it"},
      {{"training.schedule.factor=0.1"}, "only plateau reads it"},
      {{"training.schedule.patience=5"}, "only plateau reads it"},
      {{linear}, "a last update, because linear falls towards it"},
      {{"training.schedule.type=cosine"}, "a last update, because cosine falls towards it"},
      {{linear, "training.schedule.total=10", "training.schedule.warmup=10"}, "with training.schedule.total 10"},
      {{"training.schedule.type=inverse_sqrt"}, "a warmup of at least 1"},
      {{"training.schedule.type=plateau"}, "plateau watches the validation metric"},
  });
  EXPECT_FINE({linear, "training.max_updates=10"});
  EXPECT_FINE({linear, "training.schedule.total=10"});
}

TEST(ConfigChecks, TrainingMustEnd) {
  expect_problems({{{"training.max_epochs=0"}, "an end of the training; set max_updates or max_epochs"}});
  EXPECT_FINE({"training.max_epochs=0", "training.max_updates=1"});
  EXPECT_FINE({"training.max_epochs=0", "training.validation.early_stopping.patience=3", kDev});
}

TEST(ConfigChecks, ValidationNeedsDataAndItsMetric) {
  const std::string v = "training.validation.";
  expect_problems({
      {{v + "early_stopping.patience=3"}, "nothing is validated without dev data; add data.dev"},
      {{v + "beam_size=3"}, "nothing is validated without dev data"},
      {{v + "lowercase=true"}, "nothing is measured without dev or test data"},
      {{v + "early_stopping.metric=sequence_accuracy", kDev}, "add sequence_accuracy to the metrics"},
      {{v + "metrics=[loss, bleu]", kDev}, "add perplexity to the metrics"},
      {{v + "lowercase=true", v + "metrics=[perplexity]", kDev}, "only bleu reads it"},
      {{v + "tokenize=char", v + "metrics=[perplexity]", kDev}, "only bleu reads it"},
      {{v + "beam_size=2", v + "metrics=[perplexity]", kDev}, "none of these metrics translates"},
      {{v + "every_updates=5", v + "every_epochs=2", kDev}, "updates are counted"},
  });
  EXPECT_FINE({v + "lowercase=true", "data.test.tsv=a"});
  EXPECT_FINE({v + "beam_size=2", v + "metrics=[perplexity, sequence_accuracy]", kDev});
}

TEST(ConfigChecks, DataComesInPairs) {
  expect_problems({
      {{"data.train.source=a"}, "add data.train.target"},
      {{"data.dev.target=a"}, "add data.dev.source"},
      {{"data.train={source: [a, b], target: c}"}, "found 2 and 1"},
      {{"data.train={source: a, target: b, tsv: c}"}, "either tsv or source and target"},
      {{"data.test={source: a, tsv: c}"}, "either tsv or source and target"},
      {{"data.tsv_header=true"}, "no tsv file is read"},
      {{"training.batch_tokens=100"}, "at least max_length + 1 (101)"},
      {{"name=a/b"}, "a name for a directory"},
      {{"name=\"\""}, "a name for a directory"},
      {{"name=.."}, "a name for a directory"},
  });
}

TEST(ConfigChecks, TokenizerKeysBelongToTheirType) {
  const std::string word = "tokenizer.type=word";
  const std::string ready = "tokenizer.model_file=s.model";
  EXPECT_FINE({word, "tokenizer.model_file=tokenizer.json"});
  EXPECT_FINE({"tokenizer.user_defined_symbols=[\"e\u0301\"]", "data.normalization=none"});
  expect_problems({
      {{word, ready, "tokenizer.min_frequency=2"}, "a ready model brings its own"},
      {{word, "tokenizer.target_model_file=t"}, "a shared tokenizer has one model"},
      {{ready, "tokenizer.user_defined_symbols=[<b>]"}, "a ready model brings its own"},
      {{"tokenizer.user_defined_symbols=[a b]"}, "no space in a symbol"},
      {{"tokenizer.user_defined_symbols=[</s>]"}, "</s> is a control token"},
      {{"tokenizer.user_defined_symbols=[\"a\u2581\"]"}, "no U+2581"},
      {{"tokenizer.user_defined_symbols=[\"e\u0301\"]"}, "text that data.normalization leaves as it is"},
      {{"tokenizer.user_defined_symbols=[a, b]", "tokenizer.vocab_size=5"}, "room for the symbols"},
      {{word, "tokenizer.model_type=unigram"}, "only sentencepiece reads it"},
      {{word, "tokenizer.character_coverage=0.99"}, "only sentencepiece reads it"},
      {{"tokenizer.min_frequency=2"}, "only word or char reads it"},
      {{ready, "tokenizer.vocab_size=100"}, "a ready model brings its own"},
      {{ready, "tokenizer.model_type=unigram"}, "a ready model brings its own"},
      {{ready, "tokenizer.shared=false"}, "two model files or none"},
      {{ready, "tokenizer.target_model_file=t"}, "a shared tokenizer has one model"},
      {{"tokenizer.target_model_file=t", "tokenizer.shared=false"}, "two model files or none"},
  });
}

TEST(ConfigChecks, DecodingLengths) {
  expect_problems({
      {{"decoding.min_length=23"}, "at most factor x 1 + extra"},
      {{"decoding.max_length={factor: 0, extra: 0}"}, "room for at least one piece"},
      {{"decoding.length_penalty={formula: none, alpha: 0.5}"}, "formula none has no exponent"},
      {{"decoding.replace_unknown=true"}, "the unknown token is never written"},
      {{"decoding.replace_unknown=true", "decoding.allow_unknown=true", "model.decoder.attention.score=none"},
       "a decoder with attention"},
  });
  EXPECT_FINE({"decoding.min_length=22"});
}

}  // namespace
}  // namespace dragoman
