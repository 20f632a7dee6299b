// Every key of the table: it can be changed, the change is written, and what is written reads back the same.
#include "config/key_table.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "config/config.h"
#include "config/suggest.h"
#include "config/values.h"

namespace dragoman {
namespace {

using Overrides = std::vector<std::string>;

const std::string kDev = "data.dev={source: d.en, target: d.ko}";

/// For each key a value other than its default, with what else it needs to have an effect.
const std::map<std::string, Overrides>& changes() {
  static const std::map<std::string, Overrides> kChanges = {
      {"name", {"name=\"a: b # c\""}},
      {"seed", {"seed=18446744073709551615"}},
      {"threads", {"threads=3"}},
      {"data.train.source", {"data.train.source=[a b.en, \"c'd.en\"]", "data.train.target=[x, y]"}},
      {"data.train.target", {"data.train.target=한국어.ko", "data.train.source=x"}},
      {"data.train.tsv", {"data.train.tsv=[a.tsv, ./b, \"12\"]"}},
      {"data.dev.source", {"data.dev.source=a", "data.dev.target=b"}},
      {"data.dev.target", {"data.dev.source=a", "data.dev.target=\"true\""}},
      {"data.dev.tsv", {"data.dev.tsv=a"}},
      {"data.test.source", {"data.test.source=a", "data.test.target=b"}},
      {"data.test.target", {"data.test.source=a", "data.test.target=b"}},
      {"data.test.tsv", {"data.test.tsv=\"null\""}},
      {"data.max_length", {"data.max_length=7"}},
      {"data.on_long", {"data.on_long=truncate"}},
      {"data.normalization", {"data.normalization=none"}},
      {"data.tsv_header", {"data.tsv_header=true", "data.train.tsv=a"}},
      {"tokenizer.type", {"tokenizer.type=word"}},
      {"tokenizer.model_type", {"tokenizer.model_type=unigram"}},
      {"tokenizer.vocab_size", {"tokenizer.vocab_size=100"}},
      {"tokenizer.shared", {"tokenizer.shared=false"}},
      {"tokenizer.character_coverage", {"tokenizer.character_coverage=0.9995"}},
      {"tokenizer.min_frequency", {"tokenizer.min_frequency=2", "tokenizer.type=char"}},
      {"tokenizer.user_defined_symbols", {"tokenizer.user_defined_symbols=[<b>, \"a,\\\"b\\\"\"]"}},
      {"tokenizer.model_file", {"tokenizer.model_file=s.model"}},
      {"tokenizer.target_model_file",
       {"tokenizer.target_model_file=t.model", "tokenizer.model_file=s.model", "tokenizer.shared=false"}},
      {"tokenizer.sampling.alpha", {"tokenizer.sampling.alpha=0.1"}},
      {"model.encoder.type", {"model.encoder.type=transformer"}},
      {"model.encoder.cell", {"model.encoder.cell=lstm"}},
      {"model.encoder.layers", {"model.encoder.layers=2"}},
      {"model.encoder.bidirectional", {"model.encoder.bidirectional=false"}},
      {"model.encoder.embedding_size", {"model.encoder.embedding_size=9"}},
      {"model.encoder.hidden_size", {"model.encoder.hidden_size=9"}},
      {"model.encoder.model_size", {"model.encoder.model_size=64", "model.encoder.type=transformer"}},
      {"model.encoder.heads", {"model.encoder.heads=2", "model.encoder.type=transformer"}},
      {"model.encoder.ffn_size", {"model.encoder.ffn_size=9", "model.encoder.type=transformer"}},
      {"model.encoder.norm", {"model.encoder.norm=pre", "model.encoder.type=transformer"}},
      {"model.encoder.activation", {"model.encoder.activation=gelu", "model.encoder.type=transformer"}},
      {"model.encoder.positions", {"model.encoder.positions=learned", "model.encoder.type=transformer"}},
      {"model.encoder.max_positions",
       {"model.encoder.max_positions=500", "model.encoder.type=transformer", "model.encoder.positions=learned"}},
      {"model.encoder.key_size", {"model.encoder.key_size=5", "model.encoder.type=transformer"}},
      {"model.encoder.value_size", {"model.encoder.value_size=7", "model.encoder.type=transformer"}},
      {"model.encoder.score", {"model.encoder.score=dot", "model.encoder.type=transformer"}},
      {"model.decoder.type", {"model.decoder.type=transformer"}},
      {"model.decoder.cell", {"model.decoder.cell=rnn"}},
      {"model.decoder.layers", {"model.decoder.layers=3"}},
      {"model.decoder.embedding_size", {"model.decoder.embedding_size=9"}},
      {"model.decoder.hidden_size", {"model.decoder.hidden_size=9"}},
      {"model.decoder.input_feeding", {"model.decoder.input_feeding=true", "model.decoder.attention.query=current"}},
      {"model.decoder.init", {"model.decoder.init=last", "model.decoder.hidden_size=256"}},
      {"model.decoder.model_size", {"model.decoder.model_size=64", "model.decoder.type=transformer"}},
      {"model.decoder.heads", {"model.decoder.heads=2", "model.decoder.type=transformer"}},
      {"model.decoder.ffn_size", {"model.decoder.ffn_size=9", "model.decoder.type=transformer"}},
      {"model.decoder.norm", {"model.decoder.norm=pre", "model.decoder.type=transformer"}},
      {"model.decoder.activation", {"model.decoder.activation=gelu", "model.decoder.type=transformer"}},
      {"model.decoder.positions", {"model.decoder.positions=learned", "model.decoder.type=transformer"}},
      {"model.decoder.max_positions",
       {"model.decoder.max_positions=500", "model.decoder.type=transformer", "model.decoder.positions=learned"}},
      {"model.decoder.key_size", {"model.decoder.key_size=5", "model.decoder.type=transformer"}},
      {"model.decoder.value_size", {"model.decoder.value_size=7", "model.decoder.type=transformer"}},
      {"model.decoder.score", {"model.decoder.score=dot", "model.decoder.type=transformer"}},
      {"model.decoder.attention.score", {"model.decoder.attention.score=general"}},
      {"model.decoder.attention.query", {"model.decoder.attention.query=between"}},
      {"model.decoder.attention.context",
       {"model.decoder.attention.context=start", "model.decoder.attention.score=none"}},
      {"model.decoder.attention.size", {"model.decoder.attention.size=33"}},
      {"model.tied_embeddings", {"model.tied_embeddings=all"}},
      {"model.scale_embeddings", {"model.scale_embeddings=true"}},
      {"model.dropout.embedding", {"model.dropout.embedding=0.1"}},
      {"model.dropout.layers", {"model.dropout.layers=0.3", "model.encoder.layers=2"}},
      {"model.dropout.context", {"model.dropout.context=0.2"}},
      {"model.dropout.readout", {"model.dropout.readout=0.333333333333333314829616256247"}},
      {"model.dropout.residual", {"model.dropout.residual=0.1", "model.encoder.type=transformer"}},
      {"model.dropout.attention", {"model.dropout.attention=0.1", "model.decoder.type=transformer"}},
      {"model.dropout.ffn", {"model.dropout.ffn=0.1", "model.decoder.type=transformer"}},
      {"model.init.weights", {"model.init.weights=uniform"}},
      {"model.init.recurrent", {"model.init.recurrent=xavier"}},
      {"model.init.scale", {"model.init.scale=1e-3", "model.init.weights=normal"}},
      {"model.init.embedding_deviation", {"model.init.embedding_deviation=0.02"}},
      {"model.init.forget_bias", {"model.init.forget_bias=-1.5", "model.decoder.cell=lstm"}},
      {"training.model_dir", {"training.model_dir=\"out/my model\""}},
      {"training.init_from", {"training.init_from=a/model.safetensors"}},
      {"training.batch_tokens", {"training.batch_tokens=512"}},
      {"training.accumulate", {"training.accumulate=2"}},
      {"training.max_updates", {"training.max_updates=9223372036854775807"}},
      {"training.max_epochs", {"training.max_epochs=0", "training.max_updates=5"}},
      {"training.clip_norm", {"training.clip_norm=1e300"}},
      {"training.label_smoothing", {"training.label_smoothing=0"}},
      {"training.ema", {"training.ema=0.999"}},
      {"training.shards", {"training.shards=1"}},
      {"training.piece_tokens", {"training.piece_tokens=256"}},
      {"training.precision", {"training.precision=bfloat16"}},
      {"training.window", {"training.window=10"}},
      {"training.on_divergence", {"training.on_divergence=rollback"}},
      {"training.log_every", {"training.log_every=7"}},
      {"training.optimizer.type", {"training.optimizer.type=sgd"}},
      {"training.optimizer.learning_rate", {"training.optimizer.learning_rate=5e-324"}},
      {"training.optimizer.betas", {"training.optimizer.betas=[0.1, 0.98]"}},
      {"training.optimizer.epsilon", {"training.optimizer.epsilon=1e-9"}},
      {"training.optimizer.momentum", {"training.optimizer.momentum=0.9", "training.optimizer.type=sgd"}},
      {"training.optimizer.weight_decay", {"training.optimizer.weight_decay=0.01", "training.optimizer.type=adamw"}},
      {"training.schedule.type", {"training.schedule.type=inverse_sqrt", "training.schedule.warmup=10"}},
      {"training.schedule.warmup", {"training.schedule.warmup=10"}},
      {"training.schedule.total", {"training.schedule.total=10", "training.schedule.type=linear"}},
      {"training.schedule.final_factor",
       {"training.schedule.final_factor=0.1", "training.schedule.type=cosine", "training.max_updates=7"}},
      {"training.schedule.factor", {"training.schedule.factor=0.7", "training.schedule.type=plateau", kDev}},
      {"training.schedule.patience", {"training.schedule.patience=2", "training.schedule.type=plateau", kDev}},
      {"training.validation.every_updates", {"training.validation.every_updates=50", kDev}},
      {"training.validation.every_epochs", {"training.validation.every_epochs=2", kDev}},
      {"training.validation.at_start", {"training.validation.at_start=true", kDev}},
      {"training.validation.metrics", {"training.validation.metrics=[sequence_accuracy, perplexity]", kDev}},
      {"training.validation.tokenize", {"training.validation.tokenize=char", kDev}},
      {"training.validation.lowercase", {"training.validation.lowercase=true", kDev}},
      {"training.validation.beam_size", {"training.validation.beam_size=4", kDev}},
      {"training.validation.early_stopping.metric", {"training.validation.early_stopping.metric=bleu", kDev}},
      {"training.validation.early_stopping.patience", {"training.validation.early_stopping.patience=5", kDev}},
      {"training.checkpoints.every_updates", {"training.checkpoints.every_updates=100"}},
      {"training.checkpoints.keep", {"training.checkpoints.keep=1"}},
      {"training.checkpoints.average_last", {"training.checkpoints.average_last=2"}},
      {"decoding.beam_size", {"decoding.beam_size=1"}},
      {"decoding.length_penalty.formula", {"decoding.length_penalty.formula=gnmt"}},
      {"decoding.length_penalty.alpha", {"decoding.length_penalty.alpha=0.6"}},
      {"decoding.max_length.factor", {"decoding.max_length.factor=1.5"}},
      {"decoding.max_length.extra", {"decoding.max_length.extra=5"}},
      {"decoding.min_length", {"decoding.min_length=2"}},
      {"decoding.max_input", {"decoding.max_input=10"}},
      {"decoding.stop", {"decoding.stop=exact"}},
      {"decoding.allow_unknown", {"decoding.allow_unknown=true"}},
      {"decoding.replace_unknown", {"decoding.replace_unknown=true", "decoding.allow_unknown=true"}},
      {"decoding.precision", {"decoding.precision=bfloat16"}},
      {"decoding.batch_sentences", {"decoding.batch_sentences=1"}}};
  return kChanges;
}

std::string value_of(const Config& config, const std::string& path) {
  Config copy = config;
  return write_value(*KeyTable(copy).find(path));
}

TEST(ConfigKeys, EveryKeyCanBeChangedAndComesBackTheSame) {
  Config defaults;
  const KeyTable table(defaults);
  ASSERT_EQ(table.keys().size(), changes().size());
  for (const Key& key : table.keys()) {
    SCOPED_TRACE(key.path);
    ASSERT_EQ(changes().count(key.path), 1u);
    const Overrides& overrides = changes().at(key.path);
    const Config changed = parse_config("name: n", "text", overrides);
    EXPECT_NE(value_of(changed, key.path), write_value(key));
    for (const std::string& text : {emit_config(changed), emit_changes(changed)}) {
      const Config again = parse_config(text, "emitted");
      EXPECT_EQ(value_of(again, key.path), value_of(changed, key.path));
      EXPECT_EQ(emit_config(again), emit_config(changed));
    }
  }
}

const void* address_of(const Field& field) {
  return std::visit(
      [](auto pointer) -> const void* {
        if constexpr (std::is_same_v<decltype(pointer), NumberPair>) {
          return pointer.first;
        } else {
          return pointer;
        }
      },
      field);
}

TEST(ConfigKeys, EveryKeyHasItsOwnFieldAndASentence) {
  Config config;
  const KeyTable table(config);
  std::set<std::string> paths;
  std::set<const void*> fields;
  for (const Key& key : table.keys()) {
    EXPECT_EQ(key.meaning.back(), '.') << key.path;
    EXPECT_NE(table.find_section(parent_of(key.path)) != nullptr, parent_of(key.path).empty()) << key.path;
    EXPECT_TRUE(paths.insert(key.path).second) << key.path;
    EXPECT_TRUE(fields.insert(address_of(key.field)).second) << key.path << " shares the field of another key";
  }
  for (const Section& section : table.sections()) EXPECT_FALSE(table.children(section.path).empty()) << section.path;
}

TEST(ConfigKeys, DefaultsAreAllowed) {
  EXPECT_EQ(emit_config(parse_config(emit_config(Config{}), "defaults")), emit_config(Config{}));
  EXPECT_EQ(emit_changes(Config{}), "name: model\n");
}

TEST(ConfigKeys, ReferenceHoldsTheDefaults) {
  EXPECT_EQ(emit_config(parse_config(reference_yaml(), "reference")), emit_config(Config{}));
}

std::string read_all(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST(ConfigKeys, PagesInTheRepositoryAreCurrent) {
  EXPECT_EQ(read_all(DRAGOMAN_ROOT "/configs/reference.yaml"), reference_yaml())
      << "run: dragoman config --reference > configs/reference.yaml";
  EXPECT_EQ(read_all(DRAGOMAN_ROOT "/docs/configuration.md"), configuration_markdown())
      << "run: dragoman config --markdown > docs/configuration.md";
}

TEST(ConfigValues, NumbersReadBackExactly) {
  for (const double value : {0.1, 1.0 / 3, 1e-8, 5e-324, std::numeric_limits<double>::max(), 100.0, 1e20, 123456.789}) {
    const std::string text = write_number(value);
    EXPECT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
    EXPECT_NE(text.find('.'), std::string::npos) << text;
  }
}

TEST(ConfigValues, TextsReadBackExactly) {
  for (const std::string text : {"",
                                 " ",
                                 " a",
                                 "a ",
                                 "~",
                                 "null",
                                 "true",
                                 "Yes",
                                 "5",
                                 "1e3",
                                 ".5",
                                 "-",
                                 "- a",
                                 "a: b",
                                 "a #b",
                                 "#",
                                 "'",
                                 "\"",
                                 "\\",
                                 "a\\nb",
                                 "[a]",
                                 "{a}",
                                 "&a",
                                 "*a",
                                 "!a",
                                 "%",
                                 "@",
                                 "`",
                                 "|",
                                 ">",
                                 "ä한\u2028\u0085\ufeff",
                                 "a,b",
                                 "?",
                                 ": ",
                                 "---",
                                 "..."}) {
    Config config;
    config.training.model_dir = text;
    const Config again = parse_config(emit_config(config), "emitted");
    EXPECT_EQ(again.training.model_dir, text);
  }
}

TEST(ConfigSuggest, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("abc", "abd"), 1u);
  EXPECT_EQ(edit_distance("clip_nrom", "clip_norm"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

}  // namespace
}  // namespace dragoman
