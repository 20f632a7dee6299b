// What people get wrong: each typical mistake alone, and many at once, with the right lines and the nearest keys.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "config/config.h"
#include "core/error.h"

namespace dragoman {
namespace {

std::vector<std::string> problems(const std::string& text, const std::vector<std::string>& overrides = {}) {
  std::vector<std::string> lines;
  try {
    parse_config(text, "my.yaml", overrides, Files::must_exist);
  } catch (const UserError& error) {
    std::istringstream stream(error.what());
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
  }
  return lines;
}

/// Training data that is there, on the first line.
std::string data() {
  const std::string file = ::testing::TempDir() + "dragoman_mistakes.txt";
  std::ofstream(file) << "a\n";
  return "data: {train: {source: " + file + ", target: " + file + "}}\n";
}

struct Mistake {
  std::string text;                ///< below the line of the data
  std::vector<std::string> parts;  ///< in the order of the lines of the message: each begins like this, ...
  std::string hint;                ///< ... and the first contains this
};

void expect_problems(const std::string& text, const Mistake& mistake) {
  SCOPED_TRACE(text);
  const std::vector<std::string> found = problems(text);
  std::string all;
  for (const std::string& line : found) all += line + "\n";
  ASSERT_EQ(found.size(), mistake.parts.size()) << all;
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_TRUE(found[i].starts_with(mistake.parts[i])) << found[i];
  EXPECT_NE(found[0].find(mistake.hint), std::string::npos) << found[0];
}

TEST(ConfigMistakes, EachHasItsLineItsKeyAndAHint) {
  const std::vector<Mistake> mistakes = {
      // Keys.
      {"training:\n  clip_nrom: 1\n",
       {"my.yaml:3: training.clip_nrom: unknown key"},
       "did you mean training.clip_norm?"},
      {"traning:\n  clip_norm: 1\n", {"my.yaml:2: traning: unknown key"}, "did you mean training?"},
      {"model:\n  encoder:\n    hidden-size: 5\n",
       {"my.yaml:4: model.encoder.hidden-size: unknown key"},
       "did you mean model.encoder.hidden_size?"},
      {"Seed: 5\n", {"my.yaml:2: Seed: unknown key"}, "did you mean seed?"},
      {"learning_rate: 1\n", {"my.yaml:2: learning_rate: unknown key"}, "training.optimizer.learning_rate?"},
      {"training: {batch_size: 32}\n", {"my.yaml:2: training.batch_size: unknown key"}, "training.batch_tokens?"},
      {"model: {hidden_size: 5}\n", {"my.yaml:2: model.hidden_size: unknown key"}, "model.decoder.hidden_size?"},
      {"model: {encoder: {dropout: 0.1}}\n", {"my.yaml:2: model.encoder.dropout: unknown key"}, "model.dropout?"},
      {"xyzzyxyzzy: 1\n", {"my.yaml:2: xyzzyxyzzy: unknown key"}, "see configs/reference.yaml"},
      {"training.clip_norm: 5\n", {"my.yaml:2: training.clip_norm: unknown key"}, "write one key a level"},
      {"seed: 1\nseed: 2\n", {"my.yaml:3: seed: found a second time"}, "first on line 2"},
      {"data: {}\n", {"my.yaml:2: data: found a second time"}, "first on line 1"},
      {"\"a\\nb\": 1\n", {"my.yaml:2: a\\x0ab: unknown key"}, "see configs/reference.yaml"},
      // YAML.
      {"training:\n\tclip_norm: 1\n", {"my.yaml:3: not valid YAML"}, ""},
      {"training:\n    clip_norm: 1\n  ema: 0.9\n", {"my.yaml:4: not valid YAML"}, ""},
      {" training: {ema: 0.9}\n", {"my.yaml:2: not valid YAML"}, ""},
      {"training:\nclip_norm: 1\n", {"my.yaml:3: clip_norm: unknown key"}, "did you mean training.clip_norm?"},
      {"seed 5\n", {"my.yaml:2: seed 5: unknown key"}, "did you mean seed?"},
      {"seed:5\n", {"my.yaml:2: seed:5: unknown key"}, "did you mean seed?"},
      {"training: {ema: 0.9\n", {"my.yaml:"}, "not valid YAML"},
      {"name: \"x\n", {"my.yaml:2: found \" without a second one"}, ""},
      {"training: {ema: *decay}\n", {"my.yaml:2: not valid YAML"}, "anchor"},
      {"---\nseed: 1\n", {"my.yaml:2: a second document"}, ""},
      // Types.
      {"data: {tsv_header: yes}\n",
       {"my.yaml:2: data: found a second time", "my.yaml:2: data.tsv_header: found yes"},
       ""},
      {"tokenizer: {shared: no}\n", {"my.yaml:2: tokenizer.shared: found no"}, "write false"},
      {"tokenizer: {shared: \"true\"}\n", {"my.yaml:2: tokenizer.shared: found \"true\""}, "true or false"},
      {"seed: 1e3\n", {"my.yaml:2: seed: found 1e3"}, "write 1000"},
      {"training: {max_updates: 10_000}\n", {"my.yaml:2: training.max_updates: found 10_000"}, "an integer"},
      {"training: {max_updates: 500.0}\n", {"my.yaml:2: training.max_updates: found 500.0"}, "write 500"},
      {"training: {clip_norm: \"5\"}\n", {"my.yaml:2: training.clip_norm: found the text \"5\""}, "remove the quotes"},
      {"training: {clip_norm: 0,5}\n", {"my.yaml:2: training.5: unknown key"}, ""},
      {"name: [tiny]\n", {"my.yaml:2: name: found a list of 1"}, "expected text"},
      {"training: {model_dir: [a, b]}\n", {"my.yaml:2: training.model_dir: found a list of 2"}, "expected text"},
      {"model: {dropout: 0.3}\n", {"my.yaml:2: model.dropout: found 0.3"}, "a section with the keys embedding"},
      {"training: {optimizer: adam}\n", {"my.yaml:2: training.optimizer: found adam"}, "a section with the keys type"},
      {"training: {optimizer: {betas: 0.9}}\n", {"my.yaml:2: training.optimizer.betas: found 0.9"}, "two numbers"},
      {"training:\n  optimizer: {betas: [1, 2]}\n",
       {"my.yaml:3: training.optimizer.betas: found 1", "my.yaml:3: training.optimizer.betas: found 2"},
       "below 1"},
      {"seed:\n", {"my.yaml:2: seed: found nothing"}, "an integer"},
      // Ranges and choices.
      {"training: {ema: 1}\n", {"my.yaml:2: training.ema: found 1"}, "below 1"},
      {"training: {shards: 3}\n", {"my.yaml:2: training.shards: found 3"}, "a power of two"},
      {"training: {optimizer: {learning_rate: 0}}\n",
       {"my.yaml:2: training.optimizer.learning_rate: found 0"},
       "above 0"},
      {"training: {clip_norm: .nan}\n", {"my.yaml:2: training.clip_norm: found .nan"}, "a number of at least 0"},
      {"training: {precision: bf16}\n", {"my.yaml:2: training.precision: found bf16"}, "one of: float32, bfloat16"},
      {"decoding: {precision: float16}\n", {"my.yaml:2: decoding.precision: found float16"}, "did you mean bfloat16?"},
      {"model: {encoder: {cell: LSTM}}\n", {"my.yaml:2: model.encoder.cell: found LSTM"}, "one of: rnn, gru, lstm"},
      {"training: {schedule: {type: noam}}\n", {"my.yaml:2: training.schedule.type: found noam"}, "inverse_sqrt"},
      {"tokenizer: {character_coverage: 0.9}\n",
       {"my.yaml:2: tokenizer.character_coverage: found 0.9"},
       "from 0.98 to 1"},
      {"training: {validation: {metrics: [blue, ppl]}}\n",
       {"my.yaml:2: training.validation.metrics: found blue", "my.yaml:2: training.validation.metrics: found ppl"},
       "did you mean bleu?"},
      // Keys that do not go together.
      {"model: {encoder: {type: transformer, heads: 3}}\n",
       {"my.yaml:2: model.encoder.heads: found 3"},
       "heads that divide"},
      {"model: {tied_embeddings: all}\ntokenizer: {shared: false}\n",
       {"my.yaml:2: model.tied_embeddings: found all with tokenizer.shared false"},
       "one matrix needs one vocabulary"},
      {"model: {decoder: {attention: {score: dot}}}\n",
       {"my.yaml:2: model.decoder.attention.score: found dot"},
       "a query (128) as wide as a key (256, both directions)"},
      {"training: {optimizer: {momentum: 0.9}}\n", {"my.yaml:2: training.optimizer.momentum: found 0.9"}, "only sgd"},
      {"training: {schedule: {type: plateau}}\n", {"my.yaml:2: training.schedule.type: found plateau"}, "add data.dev"},
      {"training: {schedule: {type: inverse_sqrt}}\n", {"my.yaml:2: training.schedule.type: found"}, "schedule.warmup"},
      {"training: {batch_tokens: 50}\n",
       {"my.yaml:2: training.batch_tokens: found 50"},
       "at least max_length + 1 (101)"},
      {"name: a/b\n", {"my.yaml:2: name: found a/b"}, "training.model_dir can place the model anywhere"},
      // Files.
      {"training: {init_from: no/such.safetensors}\n",
       {"my.yaml:2: training.init_from: found no/such"},
       "does not exist"},
      {"tokenizer: {model_file: /tmp}\n", {"my.yaml:2: tokenizer.model_file: found /tmp"}, "which is a directory"},
  };
  ASSERT_GE(mistakes.size(), 40u);
  for (const Mistake& mistake : mistakes) expect_problems(data() + mistake.text, mistake);
}

TEST(ConfigMistakes, ManyAtOnceAreAllReported) {
  expect_problems(
      "data:\n"
      "  train: {source: no/such.en, target: no/such.ko}\n"
      "  dev: {source: no/dev.en, targte: no/dev.ko}\n"
      "  max_length: 0\n"
      "tokenizer:\n"
      "  shared: false\n"
      "  vocab_sizes: 3\n"
      "model:\n"
      "  encoder:\n"
      "    type: transformer\n"
      "    haeds: 3\n"
      "  decoder: {cell: gur, hidden_size: 12}\n"
      "  tied_embeddings: all\n"
      "traning:\n"
      "  max_epochs: 0\n"
      "  clip_norm: -1\n"
      "  schedule: {typ: inverse_sqrt}\n"
      "  precision: fp16\n"
      "decoding: {beam: 0, min_length: 50}\n",
      {"",
       {"my.yaml:2: data.train.source: found no/such.en, which does not exist",
        "my.yaml:2: data.train.target: found no/such.ko, which does not exist",
        "my.yaml:3: data.dev.targte: unknown key; did you mean data.dev.target?",
        "my.yaml:3: data.dev.source: found no/dev.en, which does not exist",
        "my.yaml:3: data.dev.target: found no/dev.ko, which does not exist",
        "my.yaml:4: data.max_length: found 0",
        "my.yaml:7: tokenizer.vocab_sizes: unknown key; did you mean tokenizer.vocab_size?",
        "my.yaml:7: tokenizer.vocab_size: found 3",
        "my.yaml:11: model.encoder.haeds: unknown key; did you mean model.encoder.heads?",
        "my.yaml:11: model.encoder.heads: found 3 with model.encoder.model_size 128",
        "my.yaml:12: model.decoder.cell: found gur",
        "my.yaml:13: model.tied_embeddings: found all with tokenizer.shared false",
        "my.yaml:14: traning: unknown key; did you mean training?",
        "my.yaml:15: training.max_epochs: found 0 with training.max_updates 0",
        "my.yaml:16: training.clip_norm: found -1",
        "my.yaml:17: training.schedule.typ: unknown key; did you mean training.schedule.type?",
        "my.yaml:17: training.schedule.type: found inverse_sqrt with training.schedule.warmup 0",
        "my.yaml:18: training.precision: found fp16",
        "my.yaml:19: decoding.beam: unknown key; did you mean decoding.beam_size?",
        "my.yaml:19: decoding.min_length: found 50"},
       ""});
}

TEST(ConfigMistakes, ASectionInTheWrongPlaceIsReadToo) {
  expect_problems(data() + "optimizer: {type: sgd, betas: [0.9, 0.9], momentum: 2}\n",
                  {"",
                   {"my.yaml:2: optimizer: unknown key; did you mean training.optimizer?",
                    "my.yaml:2: training.optimizer.momentum: found 2",
                    "my.yaml:2: training.optimizer.betas: found [0.9, 0.9] with training.optimizer.type sgd"},
                   ""});
}

TEST(ConfigMistakes, WhatMayHaveBeenMeantIsNotJudged) {
  // The other name for batch_tokens counts sentences.
  expect_problems(data() + "training: {batch_size: 32}\n", {"", {"my.yaml:2: training.batch_size: unknown key"}, ""});
  // Which of the two values counts is not known.
  expect_problems(data() + "model: {encoder: {type: transformer, heads: 3, haeds: 4}}\n",
                  {"", {"my.yaml:2: model.encoder.haeds: unknown key"}, ""});
  expect_problems(data() + "model: {encoder: {type: transformer, heads: 4, heads: 3}}\n",
                  {"", {"my.yaml:2: model.encoder.heads: found a second time"}, ""});
  // A section that is no section may have been meant to have every key.
  expect_problems(data() + "tokenizer: word\nmodel: {tied_embeddings: all}\n",
                  {"", {"my.yaml:2: tokenizer: found word, expected a section"}, ""});
}

TEST(ConfigMistakes, ABrokenOverrideHidesNoOtherProblem) {
  const std::vector<std::string> found =
      problems(data() + "seed: x\n", {"training.ema=\"1", "training.clip_norm=-1", "nonsense"});
  ASSERT_EQ(found.size(), 4u);
  EXPECT_TRUE(found[0].starts_with("my.yaml:2: seed: ")) << found[0];
  EXPECT_TRUE(found[1].starts_with("--set: training.ema: not valid YAML")) << found[1];
  EXPECT_TRUE(found[2].starts_with("--set: training.clip_norm: found -1")) << found[2];
  EXPECT_TRUE(found[3].starts_with("--set: found nonsense, expected key.path=value")) << found[3];
}

TEST(ConfigMistakes, TrainingNeedsText) {
  expect_problems("seed: x\n",
                  {"", {"my.yaml:1: seed: found x", "my.yaml: data.train.source: found nothing to train on"}, ""});
}

}  // namespace
}  // namespace dragoman
