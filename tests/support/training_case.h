// A training of seconds: its input, and an observer that remembers what it was told.
#pragma once

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/text_case.h"
#include "train/trainer.h"

namespace DRAGOMAN_NAMESPACE {

inline std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Names and bytes of all files below a directory.
inline std::map<std::string, std::string> tree_bytes(const std::filesystem::path& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) files[entry.path().lexically_relative(directory)] = file_bytes(entry.path());
  }
  return files;
}

/// The same files with the same bytes.
inline void expect_same_tree(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto first = tree_bytes(a), second = tree_bytes(b);
  for (const auto& [name, bytes] : first) {
    EXPECT_TRUE(second.contains(name)) << name << " is in " << a << " only";
    EXPECT_TRUE(!second.contains(name) || second.at(name) == bytes) << name << " differs";
  }
  for (const auto& [name, bytes] : second) EXPECT_TRUE(first.contains(name)) << name << " is in " << b << " only";
}

/// Reports as text with every digit, without times. What a resumed training makes void is dropped.
class Recorder : public Observer {
 public:
  /// Shall the run stop? Asked after each update and between the batches of a validation. Null: never.
  std::function<bool()> stop;
  std::vector<std::string> infos, warnings;
  std::vector<IntervalReport> intervals;
  std::vector<ValidationReport> validations, tests;

  [[nodiscard]] std::string reports() const {
    std::string text;
    for (const std::string& line : reports_) text += line + "\n";
    return text;
  }
  void begin_run() { stopping_ = false; }
  void info(const std::string& message) override { infos.push_back(message); }
  void warning(const std::string& message) override { warnings.push_back(message); }
  void interval(const IntervalReport& r) override {
    intervals.push_back(r);
    char text[300];
    std::snprintf(text, sizeof text, "train %lld %lld %a %a %a %a %lld", static_cast<long long>(r.epoch),
                  static_cast<long long>(r.update), r.loss, r.perplexity, r.learning_rate, r.gradient_norm,
                  static_cast<long long>(r.labels));
    reports_.emplace_back(text);
  }
  void validation(const ValidationReport& r) override {
    validations.push_back(r);
    add("validation", r);
  }
  void test(const ValidationReport& r) override {
    tests.push_back(r);
    add("test", r);
  }
  void resumed(std::int64_t /*update*/, std::int64_t reports) override {
    std::erase_if(reports_, [](const std::string& report) { return report.starts_with("test"); });
    ASSERT_LE(static_cast<std::size_t>(reports), reports_.size());
    reports_.resize(static_cast<std::size_t>(reports));
  }
  int stop_signal() override {
    stopping_ = stopping_ || (stop && stop());
    return stopping_ ? 15 : 0;
  }

 private:
  void add(const std::string& kind, const ValidationReport& r) {
    std::string text = kind + " " + std::to_string(r.epoch) + " " + std::to_string(r.update);
    char number[60];
    for (const auto& [name, value] : r.metrics) {
      std::snprintf(number, sizeof number, " %a", value);
      text += " " + name + number;
    }
    reports_.push_back(text + (r.best ? " best" : ""));
  }

  std::vector<std::string> reports_;
  bool stopping_ = false;
};

/// 20 training pairs, 8 others for validation, a model with dropout everywhere, two micro-batches an update.
class TrainingCase {
 public:
  /// With `tokenizer` sentencepiece the pieces of each epoch are drawn at random. `extra`: as in TextCase.
  explicit TrainingCase(const std::string& tokenizer = "word", const std::string& extra = "")
      : text(20, tokenizer, false, 1, extra),
        dev_text(8, "word", false, 2),
        encoder(*text.corpus, text.tokenizers, {.sampling = {.alpha = tokenizer == "sentencepiece" ? 0.3 : 0.0}}) {
    model_config = tiny_config();
    model_config.decoder.layers = 2;
    model_config.dropout = {0.1, 0.1, 0.1, 0.1};
    input.seed = 5;
    input.training.batch_tokens = 16;
    input.training.accumulate = 2;
    input.training.window = 7;
    input.training.shards = 4;
    input.training.max_updates = 12;
    input.training.max_epochs = 0;
    input.training.log_every = 5;
    input.training.optimizer.learning_rate = 0.01;
    input.training.validation.every_updates = 2;
    input.training.validation.metrics = {"loss", "perplexity", "accuracy"};
    input.training.checkpoints.keep = 2;
    input.train = &encoder;
    input.dev = dev_text.corpus.get();
  }

  /// Trains in the directory of that name. The model of the end is in `model`.
  int run(const std::string& name, Recorder& recorder, bool resume = false) {
    model = text.model(model_config);
    if (prepare) prepare(*model);
    recorder.begin_run();
    TrainingInput copy = input;
    copy.model_dir = directory(name);
    copy.resume = resume;
    std::filesystem::create_directories(copy.model_dir);
    return Trainer(*model, copy, recorder).run();
  }
  [[nodiscard]] std::filesystem::path directory(const std::string& name) const { return text.files.path(name); }
  [[nodiscard]] std::string model_bytes(const std::string& name) const {
    return file_bytes(directory(name) / "model.safetensors");
  }

  ThreadsGuard threads{1};  // so small a model is trained faster by one
  TextCase text, dev_text;
  PairEncoder encoder;
  ModelConfig model_config;
  TrainingInput input;
  std::function<void(Seq2Seq&)> prepare;  ///< changes the initial values; may be null
  std::unique_ptr<Seq2Seq> model;
};

inline constexpr const char* kPoison = "poison";

/// For a case with kPoison as extra line: a Transformer whose embedding of that word is so large that its square is
/// infinite, so that one update an epoch is not finite.
inline void poison(TrainingCase& c) {
  make_transformer(c.model_config, true, true);
  c.prepare = [&c](Seq2Seq& model) {
    const TokenId word = c.text.tokenizers.source->encode(kPoison).at(0);
    ASSERT_NE(word, kUnk);
    const Param* embedding = model.params().find("encoder.embedding");
    ASSERT_NE(embedding, nullptr);
    for (Index i = 0; i < embedding->ref.cols; ++i) {
      model.params().data()[embedding->ref.offset + word * embedding->ref.cols + i] =
          (i % 2 == 0 ? 1000 : -1000) * std::sqrt(std::numeric_limits<Real>::max());
    }
  };
}

}  // namespace DRAGOMAN_NAMESPACE
