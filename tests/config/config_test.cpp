// Loading: types, ranges, unknown keys, YAML that is refused, overrides, and what messages say.
#include "config/config.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/error.h"

namespace dragoman {
namespace {

/// The message of the UserError that parsing must throw.
std::string problem(const std::string& text, const std::vector<std::string>& overrides = {},
                    Files files = Files::may_be_missing) {
  try {
    parse_config(text, "my.yaml", overrides, files);
  } catch (const UserError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error for:\n" << text;
  return "";
}

/// The message of the UserError that loading a file must throw.
std::string file_problem(const std::string& path) {
  try {
    load_config(path);
  } catch (const UserError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error for " << path;
  return "";
}

std::string temporary_file(const std::string& name, const std::string& content) {
  const std::string path = ::testing::TempDir() + "dragoman_config_" + name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
#define EXPECT_HAS_NOT(text, part) EXPECT_EQ((text).find(part), std::string::npos) << (text)

TEST(Config, ReadsNestedKeysAndKeepsOtherDefaults) {
  const Config config = parse_config(
      "name: tiny\n"
      "data:\n  train: {source: [a.en, b.en], target: [a.ko, b.ko]}\n  dev:\n    source: d.en\n    target: d.ko\n"
      "model:\n  encoder: {cell: lstm, layers: 2}\n"
      "training:\n  optimizer:\n    betas: [0.8, .98]\n    learning_rate: 5e-4\n",
      "my.yaml");
  EXPECT_EQ(config.name, "tiny");
  EXPECT_EQ(config.data.train.source, (std::vector<std::string>{"a.en", "b.en"}));
  EXPECT_EQ(config.data.dev.target, std::vector<std::string>{"d.ko"});
  EXPECT_EQ(config.model.encoder.cell, "lstm");
  EXPECT_EQ(config.model.encoder.layers, 2);
  EXPECT_EQ(config.training.optimizer.beta1, 0.8);
  EXPECT_EQ(config.training.optimizer.beta2, 0.98);
  EXPECT_EQ(config.training.optimizer.learning_rate, 5e-4);
  EXPECT_EQ(config.model.decoder.cell, Config{}.model.decoder.cell);
}

TEST(Config, NamesFileLineKeyFoundAndExpected) {
  EXPECT_EQ(problem("name: x\ntraining:\n  clip_norm: -1\n"),
            "my.yaml:3: training.clip_norm: found -1, expected a number of at least 0");
}

TEST(Config, ReportsAllProblemsOfAFileAtOnce) {
  const std::string text =
      problem("training:\n  clip_norm: x\n  shards: 3\n  nonsense: 1\nmodel: {decoder: {cell: gur}}\n", {"seed=-1"});
  EXPECT_HAS(text, "my.yaml:2: training.clip_norm: found x");
  EXPECT_HAS(text, "my.yaml:3: training.shards: found 3, expected a power of two");
  EXPECT_HAS(text, "my.yaml:4: training.nonsense: unknown key");
  EXPECT_HAS(text, "my.yaml:5: model.decoder.cell: found gur, expected one of: rnn, gru, lstm; did you mean gru?");
  EXPECT_HAS(text, "--set: seed: found -1");
}

TEST(Config, SuggestsTheNearestKey) {
  EXPECT_HAS(problem("training: {clip_nrom: 1}"), "training.clip_nrom: unknown key; did you mean training.clip_norm?");
  EXPECT_HAS(problem("traning: {clip_norm: 1}"), "did you mean training?");
  EXPECT_HAS(problem("learning_rate: 1"), "did you mean training.optimizer.learning_rate?");
  EXPECT_HAS(problem("training: {lr: 1}"), "did you mean training.optimizer.learning_rate?");
  EXPECT_HAS(problem("training: {batch_size: 1}"), "did you mean training.batch_tokens?");
  EXPECT_HAS(problem("model: {hidden_size: 1}"), "model.encoder.hidden_size or model.decoder.hidden_size?");
  EXPECT_HAS(problem("model: {encoder: {dropout: 0.1}}"), "did you mean model.dropout?");
  EXPECT_HAS(problem("qqqqqqqqqq: 1"), "unknown key; see configs/reference.yaml");
  EXPECT_HAS(problem("training.clip_norm: 1"), "write one key a level");
}

TEST(Config, DoesNotJudgeKeysThatWereMisspelled) {
  const std::string text = problem("data: {dev: {source: a, targte: b}}");
  EXPECT_HAS(text, "did you mean data.dev.target?");
  EXPECT_HAS_NOT(text, "both sides");
}

TEST(Config, RefusesWrongTypes) {
  EXPECT_HAS(problem("seed: x"), "seed: found x, expected an integer of at least 0");
  EXPECT_HAS(problem("seed: \"5\""), "found the text \"5\", expected an integer of at least 0; remove the quotes");
  EXPECT_HAS(problem("seed: [1]"), "found a list of 1");
  EXPECT_HAS(problem("seed: {a: 1}"), "found a section");
  EXPECT_HAS(problem("seed:"), "found nothing");
  EXPECT_HAS(problem("name:"), "found nothing, expected text; remove the key for its default");
  EXPECT_HAS(problem("name: [a]"), "found a list of 1, expected text");
  EXPECT_HAS(problem("data: {tsv_header: yes}"), "found yes, expected true or false; write true");
  EXPECT_HAS(problem("data: {tsv_header: 0}"), "write false");
  EXPECT_HAS(problem("data: {tsv_header: \"true\"}"), "found \"true\", expected true or false");
  EXPECT_HAS(problem("model: {dropout: 0.3}"), "found 0.3, expected a section with the keys embedding, layers");
  EXPECT_HAS(problem("training: {optimizer: {betas: 0.9}}"), "expected a list of two numbers");
  EXPECT_HAS(problem("training: {optimizer: {betas: [0.9]}}"), "found a list of 1, expected a list of two numbers");
  EXPECT_HAS(problem("training: {optimizer: {betas: [0.9, 1]}}"), "found 1, expected a list of two numbers");
  EXPECT_HAS(problem("data: {train: {source: {a: 1}, target: b}}"), "found a section, expected a file or a list");
  EXPECT_HAS(problem("data: {train: {source: [[a]], target: b}}"), "found a list of 1, expected a file or a list");
  EXPECT_HAS(problem("training: {validation: {metrics: []}}"), "found [], expected a list of some of: loss");
  EXPECT_HAS(problem("training: {validation: {metrics: [bleu, bleu]}}"), "found bleu twice");
  EXPECT_HAS(problem("training: {validation: {metrics: [blue]}}"), "did you mean bleu?");
}

TEST(Config, RefusesNumbersThatAreNotFiniteOrOutOfRange) {
  for (const char* value : {".nan", "nan", ".inf", "-.inf", "inf", "1e999", "-1", "0x10", "1 2", "1,5"}) {
    EXPECT_HAS(problem(std::string("training:\n  clip_norm: ") + value + "\n"), "my.yaml:2: training.clip_norm: found");
  }
  for (const char* value : {"99999999999999999999", "-1", "1.5", "1e3", "1_000", "--1", "+-1", "'5 '", "0x5"}) {
    EXPECT_HAS(problem(std::string("seed: ") + value), "my.yaml:1: seed: found");
  }
  EXPECT_HAS(problem("model: {dropout: {residual: 0.99999999}}"), "expected a number from 0 to 0.99");
  EXPECT_EQ(parse_config("seed: 18446744073709551615", "f").seed, 18446744073709551615u);
  EXPECT_EQ(parse_config("seed: +7", "f").seed, 7u);
  EXPECT_HAS(problem("threads: 2147483648"), "expected an integer from 0 to 1024");
}

TEST(Config, SaysHowToWriteAnIntegerThatIsWrittenAsANumber) {
  EXPECT_HAS(problem("training: {max_updates: 1e3}"), "found 1e3, expected an integer of at least 0; write 1000");
  EXPECT_HAS(problem("training: {max_updates: 50.0}"), "write 50");
}

TEST(Config, RefusesDuplicateKeys) {
  EXPECT_EQ(problem("training:\n  shards: 2\n  shards: 4\n"),
            "my.yaml:3: training.shards: found a second time, first on line 2; remove one of them");
  EXPECT_HAS(problem("model: {}\nseed: 1\nmodel: {}\n"), "my.yaml:3: model: found a second time, first on line 1");
}

TEST(Config, RefusesYamlThatIsBroken) {
  EXPECT_HAS(problem("name: x\nmodel: {encoder: {layers: 1}\n"), "my.yaml:");
  EXPECT_HAS(problem("name: x\n\tseed: 1\n"), "my.yaml:2: not valid YAML");
  EXPECT_HAS(problem("seed: 1\nname: \"x\nmodel: {}\n"), "my.yaml:2: found \" without a second one");
  EXPECT_HAS(problem("name: 'x''\n"), "my.yaml:1: found ' without a second one");
  EXPECT_HAS(problem("\xef\xbb\xbfname: \"x\\\"\n"), "my.yaml:1: found \" without a second one");
  EXPECT_HAS(problem("name: ä\n\"x: 1\n"), "my.yaml:");
  EXPECT_HAS(problem("- a\n- b\n"), "found a list of 2, expected lines of the form key: value");
  EXPECT_HAS(problem("hello"), "found hello, expected lines of the form key: value");
  EXPECT_HAS(problem(""), "my.yaml: found an empty file");
  EXPECT_HAS(problem("# nothing\n"), "my.yaml: found an empty file");
  EXPECT_HAS(problem("name: a\n---\nname: b\n"), "a second document");
  EXPECT_HAS(problem("name: a\nseed: \xff\n"), "my.yaml:2: found a byte that is not UTF-8");
  EXPECT_HAS(problem(std::string("name: a\nseed: \0", 15)), "my.yaml:2: found a control character");
  EXPECT_HAS(problem("name: \"a\\nb\"\n"), "without control characters");
  EXPECT_HAS(problem("? [a]\n: 1\n"), "can't be a key");
  EXPECT_HAS(problem(": 1\n"), "my.yaml:1: a key is missing");
}

TEST(Config, RefusesAnchorsAliasesAndTags) {
  EXPECT_HAS(problem("name: &a x\n"), "my.yaml:1: anchors");
  EXPECT_HAS(problem("name: x\nseed: *a\n"), "my.yaml:2: ");
  EXPECT_HAS(problem("name: !!str x\n"), "tags");
  std::string laughs = "a: &a [lol, lol]\n";
  for (char c = 'b'; c <= 'z'; ++c) {
    laughs += std::string(1, c) + ": &" + c + " [*" + char(c - 1) + ", *" + char(c - 1) + ", *" + char(c - 1) + "]\n";
  }
  EXPECT_HAS(problem(laughs), "my.yaml:1: anchors");
}

TEST(Config, RefusesDeepLargeAndWideInputQuickly) {
  for (const char* open : {"[", "{", "{a: ", "- ", "? ", "[{"}) {
    std::string deep;
    while (deep.size() < 1000000) deep += open;
    EXPECT_HAS(problem(deep), "my.yaml:");
  }
  std::string indented;
  for (int i = 0; i < 1000; ++i) indented += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_HAS(problem(indented), "nested deeper than");
  EXPECT_HAS(problem(std::string(2000000, '#')), "found 2000000 bytes, expected at most");
  std::string wide;
  for (int i = 0; i < 100000; ++i) wide += "k" + std::to_string(i) + ":\n";
  EXPECT_HAS(problem(wide), "more than 1000 keys");
  EXPECT_HAS(problem("seed: " + std::string(500000, '9')), "999...");
  EXPECT_HAS(problem(std::string(1000, 'x') + ": 1"), "unknown key");
}

TEST(Config, SaysWhatIsWrongWithTheFileItself) {
  EXPECT_EQ(file_problem("does/not/exist.yaml"),
            "does/not/exist.yaml: there is no such file, expected a configuration (YAML)");
  EXPECT_HAS(file_problem(::testing::TempDir()), "found a directory");
  EXPECT_HAS(file_problem(temporary_file("empty.yaml", "")), "found an empty file");
  EXPECT_HAS(file_problem("/dev/zero"), "/dev/zero: found 1048577 bytes");
}

TEST(Config, ReadsAFileWithCarriageReturnsAndByteOrderMark) {
  const std::string path = temporary_file("crlf.yaml", "\xef\xbb\xbfname: x\r\nseed: 5\r\n");
  EXPECT_EQ(load_config(path).seed, 5u);
  EXPECT_EQ(load_config(path).name, "x");
}

TEST(Config, OverridesComeAfterTheFileAndTheLastOneCounts) {
  const Config config = parse_config(
      "seed: 2\n", "f",
      {"seed=3", "training.optimizer.betas=[0.7, 0.8]", "seed=4", "model.encoder={layers: 3, cell: rnn}", "name=a=b"});
  EXPECT_EQ(config.seed, 4u);
  EXPECT_EQ(config.training.optimizer.beta1, 0.7);
  EXPECT_EQ(config.model.encoder.layers, 3);
  EXPECT_EQ(config.name, "a=b");
}

TEST(Config, NamesOverridesInMessages) {
  EXPECT_EQ(problem("seed: 1", {"training.clip_norm=-1"}),
            "--set: training.clip_norm: found -1, expected a number of at least 0");
  EXPECT_HAS(problem("seed: 1", {"clip_norm=1"}), "--set: clip_norm: unknown key; did you mean training.clip_norm?");
  EXPECT_HAS(problem("seed: 1", {"seed"}), "--set: found seed, expected key.path=value");
  EXPECT_HAS(problem("seed: 1", {"=3"}), "--set: found \"=3\", expected key.path=value");
  EXPECT_HAS(problem("seed: 1", {"seed="}), "--set: seed: found nothing");
  EXPECT_HAS(problem("seed: 1", {"seed=[1"}), "--set: seed: ");
  EXPECT_HAS(problem("seed: 1", {"model.encoder={layers: 1, layers: 2}"}),
             "--set: model.encoder.layers: found a second time");
  EXPECT_HAS(problem("seed: 1", {"model.encoder={layer: 1}"}), "did you mean model.encoder.layers?");
}

TEST(Config, AnOverrideMendsABadValueOfTheFileOnlyWhenTheFileIsRight) {
  EXPECT_HAS(problem("seed: x", {"seed=1"}), "my.yaml:1: seed: found x");
}

TEST(Config, ShowsControlCharactersOfAHostileFile) {
  EXPECT_HAS(problem("\"a\\e[2J\\nb\": 1"), "my.yaml:1: a\\x1b[2J\\x0ab: unknown key");
}

TEST(Config, AsksForFilesOnlyWhenTheyMustExist) {
  const std::string text =
      "data: {train: {source: no/such.en, target: no/such.ko}}\n"
      "tokenizer:\n  model_file: no/such.model\n";
  EXPECT_NO_THROW(parse_config(text, "f"));
  const std::string message = problem(text, {}, Files::must_exist);
  EXPECT_HAS(message, "my.yaml:1: data.train.source: found no/such.en, which does not exist, expected a file");
  EXPECT_HAS(message, "my.yaml:3: tokenizer.model_file: found no/such.model, which does not exist, expected a file");
  EXPECT_HAS(problem("training: {init_from: " + ::testing::TempDir() + "}", {}, Files::must_exist),
             "a directory without config.yaml, expected a model directory or a file");
}

}  // namespace
}  // namespace dragoman
