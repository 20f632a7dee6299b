// Checkpoints: saving and loading changes nothing, old ones go, damaged ones are refused.
#include "train/checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "io/checksum.h"
#include "support/numbers.h"
#include "support/step_options.h"
#include "support/text_case.h"
#include "train/step.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::TempFiles;
using testing::user_error;

/// A model with its optimizer, and batches to train it on.
struct Training {
  explicit Training(const std::string& optimizer = "adamw", double momentum = 0)
      : model(tiny_config(), kSourceVocabulary, kTargetVocabulary),
        step(model, step_options(options(optimizer, momentum), 2, 1), 5) {
    model.params().initialize(3);
  }
  static OptimizerOptions options(const std::string& type, double momentum) {
    OptimizerOptions o;
    o.type = type;
    o.momentum = momentum;
    o.weight_decay = 0.1;
    return o;
  }
  void update(std::int64_t number) {
    step.accumulate(tiny_batch(), number);
    step.finish(number, 0.05);
  }
  [[nodiscard]] std::vector<Real> values() const {
    return {model.values().base, model.values().base + model.params().size()};
  }

  Seq2Seq model;
  TrainStep step;
};

TrainingState state_at(std::int64_t update, std::vector<std::int64_t> scheduled = {}) {
  TrainingState state;
  state.update = update;
  state.scheduled = std::move(scheduled);
  return state;
}

void save(const TempFiles& files, Training& training, const TrainingState& state) {
  Checkpoints(files.directory()).save(training.model.params(), training.step.optimizer(), state);
}

TrainingState load(const TempFiles& files, Training& training) {
  const Checkpoints checkpoints(files.directory());
  const TrainingState state = checkpoints.latest_state();
  checkpoints.load(state, training.model.params(), training.step.optimizer());
  return state;
}

std::set<std::string> kept(const TempFiles& files) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(files.path("checkpoints"))) names.insert(entry.path().filename());
  return names;
}

std::string latest(const TempFiles& files) {
  std::ifstream file(files.path("checkpoints/latest"));
  std::string name;
  std::getline(file, name);
  return name;
}

TEST(Checkpoint, SaveLoadAndStepEqualsStep) {
  for (const auto& [type, momentum] : {std::pair{"sgd", 0.0}, {"sgd", 0.9}, {"adam", 0.0}, {"adamw", 0.0}}) {
    const TempFiles files;
    Training first(type, momentum), second(type, momentum);
    first.update(1);
    first.update(2);
    save(files, first, state_at(2));
    first.update(3);
    EXPECT_EQ(load(files, second).update, 2);
    second.update(3);
    EXPECT_EQ(second.values(), first.values()) << type << " with momentum " << momentum;
  }
}

TEST(Checkpoint, EveryNumberOfTheStateComesBack) {
  const TempFiles files;
  Training training;
  TrainingState s;
  s.update = 41;
  s.position = {2, 3, 4};
  s.epoch_pairs = 99;
  s.schedule = {0.1 + 0.2, 5};
  s.interval = {1.0 / 3, 2.0 / 3, 1e-300, 60, 7};
  s.best = 1e22 / 7;
  s.best_update = 30;
  s.best_checksum = 0xfedcba98U;
  s.bad_validations = 8;
  s.loss_watch = {1.0 / 7, 1.0 / 11, 12};
  s.divergences = 5;
  s.rollbacks = 3;
  s.left_out = {{{1, 2, 3}, {1, 2, 5}}, {{2, 0, 0}, {2, 0, 1}}};
  s.scheduled = {20, 30, 40};
  s.validated_update = 40;
  s.reports = 12;
  s.validation_due = s.epoch_ended = true;
  s.fingerprint = {{"data.train", "0123456789abcdef"}, {"the tokenizer", "1"}};
  save(files, training, s);
  const TrainingState t = load(files, training);
  EXPECT_EQ(t.update, s.update);
  EXPECT_EQ(t.position, s.position);
  EXPECT_EQ(t.epoch_pairs, s.epoch_pairs);
  EXPECT_EQ(t.schedule.scale, s.schedule.scale);
  EXPECT_EQ(t.schedule.bad, s.schedule.bad);
  EXPECT_EQ(t.interval.loss, s.interval.loss);
  EXPECT_EQ(t.interval.negative_log_prob, s.interval.negative_log_prob);
  EXPECT_EQ(t.interval.gradient_norm, s.interval.gradient_norm);
  EXPECT_EQ(t.interval.labels, s.interval.labels);
  EXPECT_EQ(t.interval.updates, s.interval.updates);
  EXPECT_EQ(t.best, s.best);
  EXPECT_EQ(t.best_update, s.best_update);
  EXPECT_EQ(t.best_checksum, s.best_checksum);
  EXPECT_EQ(t.bad_validations, s.bad_validations);
  EXPECT_EQ(t.loss_watch.mean, s.loss_watch.mean);
  EXPECT_EQ(t.loss_watch.distance, s.loss_watch.distance);
  EXPECT_EQ(t.loss_watch.updates, s.loss_watch.updates);
  EXPECT_EQ(t.divergences, s.divergences);
  EXPECT_EQ(t.rollbacks, s.rollbacks);
  EXPECT_EQ(t.left_out, s.left_out);
  EXPECT_EQ(t.scheduled, s.scheduled);
  EXPECT_EQ(t.validated_update, s.validated_update);
  EXPECT_EQ(t.reports, s.reports);
  EXPECT_EQ(t.validation_due, s.validation_due);
  EXPECT_EQ(t.epoch_ended, s.epoch_ended);
  EXPECT_EQ(t.fingerprint, s.fingerprint);
  EXPECT_EQ(t.files.size(), 2U);
  s.best.reset();
  save(files, training, s);
  EXPECT_FALSE(load(files, training).best.has_value());
}

TEST(Checkpoint, KeepsThoseOnScheduleAndTheLast) {
  const TempFiles files;
  Training training;
  save(files, training, state_at(5, {5}));
  save(files, training, state_at(10, {5, 10}));
  save(files, training, state_at(12, {5, 10}));
  EXPECT_EQ(kept(files), (std::set<std::string>{"000005", "000010", "000012", "latest"}));
  EXPECT_EQ(latest(files), "000012");
  save(files, training, state_at(13, {5, 10}));
  EXPECT_EQ(kept(files), (std::set<std::string>{"000005", "000010", "000013", "latest"}));
  save(files, training, state_at(1000000, {10, 1000000}));
  EXPECT_EQ(kept(files), (std::set<std::string>{"000010", "1000000", "latest"}));
  EXPECT_EQ(latest(files), "1000000");
}

TEST(Checkpoint, WhatACrashLeftGoesAndACopyStays) {
  const TempFiles files;
  Training training;
  for (const std::int64_t update : {5, 10, 15}) save(files, training, state_at(update, {5, 10, 15}));
  fs::remove(files.path("checkpoints/000005/state.json"));
  for (const char* copy : {"10", "0000010", "000010.old", "best"}) {
    fs::create_directory(files.path("checkpoints/" + std::string(copy)));
  }
  Checkpoints(files.directory()).prune(state_at(12, {10}));
  EXPECT_EQ(kept(files), (std::set<std::string>{"000010", "latest", "10", "0000010", "000010.old", "best"}));
}

TEST(Checkpoint, ModelsBeforeAreTheLastOnSchedule) {
  const Checkpoints checkpoints("m");
  const auto model = [](const char* name) { return "m/checkpoints/" + std::string(name) + "/model.safetensors"; };
  EXPECT_EQ(checkpoints.models_before(state_at(15, {5, 10, 15}), 2),
            (std::vector<std::string>{model("000005"), model("000010")}));
  EXPECT_EQ(checkpoints.models_before(state_at(16, {5, 10, 15}), 1), std::vector<std::string>{model("000015")});
  EXPECT_TRUE(checkpoints.models_before(state_at(5, {5}), 2).empty());
}

/// The message after `damage` was done to the directory of a good checkpoint.
template <class Damage>
std::string refused(Damage damage) {
  const TempFiles files;
  Training training;
  save(files, training, state_at(5));
  const fs::path directory = files.path("checkpoints/000005");
  damage(directory);
  const std::string message = user_error([&] { load(files, training); });
  EXPECT_TRUE(contains(message, "checkpoints")) << message;
  return message;
}

void replace(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A state's text with the right checksum.
std::string sealed(std::string text) {
  const std::string zeros = "00000000";
  return text.replace(text.find(zeros), zeros.size(), checksum_text(crc32(0, text)));
}

TEST(Checkpoint, EveryFlippedBitIsSeen) {
  const TempFiles files;
  Training training;
  save(files, training, state_at(5));
  const Checkpoints checkpoints(files.directory());
  EXPECT_EQ(checkpoints.whole_state_of(5).update, 5);
  const fs::path state = files.path("checkpoints/000005/state.json");
  const std::string whole = content(state);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << (i % 7)));
    replace(state, flipped);
    EXPECT_TRUE(contains(user_error([&] { (void)checkpoints.state_of(5); }), "state.json")) << i;
  }
  replace(state, whole);
  for (const char* name : {"model.safetensors", "optimizer.safetensors"}) {
    const fs::path path = files.path("checkpoints/000005/" + std::string(name));
    const std::string tensors = content(path);
    std::string flipped = tensors;
    flipped.back() = static_cast<char>(flipped.back() ^ 1);
    replace(path, flipped);
    const std::string message = user_error([&] { (void)checkpoints.whole_state_of(5); });
    EXPECT_TRUE(contains(message, std::string(name) + ": damaged: its checksum is ")) << message;
    replace(path, tensors);
  }
  EXPECT_EQ(checkpoints.whole_state_of(5).update, 5);
}

TEST(Checkpoint, WholeOnesAreThoseWithoutDamage) {
  const TempFiles files;
  Training training;
  for (const std::int64_t update : {5, 10, 15, 20}) save(files, training, state_at(update, {5, 10, 15, 20}));
  const Checkpoints checkpoints(files.directory());
  EXPECT_EQ(checkpoints.whole_ones(), (std::vector<std::int64_t>{5, 10, 15, 20}));
  fs::remove(files.path("checkpoints/000010/optimizer.safetensors"));
  replace(files.path("checkpoints/000015/model.safetensors"), "x");
  replace(files.path("checkpoints/000020/state.json"), "{}");
  fs::create_directory(files.path("checkpoints/7"));
  EXPECT_EQ(checkpoints.whole_ones(), std::vector<std::int64_t>{5});
  fs::remove(files.path("checkpoints/latest"));
  EXPECT_TRUE(
      contains(user_error([&] { (void)checkpoints.latest_state(); }), "latest, which names the last checkpoint"));
  checkpoints.make_latest(5);
  EXPECT_EQ(checkpoints.latest_state().update, 5);
}

TEST(Checkpoint, RefusesWhatIsMissing) {
  const TempFiles empty;
  Training training;
  EXPECT_TRUE(contains(user_error([&] { load(empty, training); }), "no checkpoint to resume from"));
  for (const char* name : {"state.json", "model.safetensors", "optimizer.safetensors"}) {
    EXPECT_TRUE(contains(refused([&](const fs::path& d) { fs::remove(d / name); }), name)) << name;
  }
  refused([](const fs::path& d) { fs::remove_all(d); });
  refused([](const fs::path& d) { replace(d.parent_path() / "latest", ""); });
}

TEST(Checkpoint, RefusesWhatIsDamaged) {
  for (const char* text : {"", "{", "[]", "{\"format\": 4}", "{\"format\": \"x\"}"}) {
    EXPECT_TRUE(contains(refused([&](const fs::path& d) { replace(d / "state.json", text); }), "state.json")) << text;
  }
  const auto of_format = [](const char* format) {
    return refused(
        [&](const fs::path& d) { replace(d / "state.json", std::string("{\"format\": ").append(format).append("}")); });
  };
  EXPECT_TRUE(contains(of_format("5"), "a newer version of the program (format 5, expected 4)"));
  EXPECT_TRUE(contains(of_format("3"), "an older version of the program"));
  for (const char* name : {"model.safetensors", "optimizer.safetensors"}) {
    EXPECT_TRUE(contains(refused([&](const fs::path& d) { fs::resize_file(d / name, 100); }), name));
  }
}

TEST(Checkpoint, LatestNamesADirectoryOfNumbersOnly) {
  for (const char* name : {"../000005", "/etc", "latest", "-1", "000005/../000005", "12345678901234567", " 5"}) {
    const std::string message = refused([&](const fs::path& d) { replace(d.parent_path() / "latest", name); });
    EXPECT_TRUE(contains(message, "latest: found \"" + std::string(name) + "\", expected the name")) << message;
  }
  const std::string other = refused([](const fs::path& d) {
    fs::copy(d, d.parent_path() / "000007", fs::copy_options::recursive);
    replace(d.parent_path() / "latest", "000007\n");
  });
  EXPECT_TRUE(contains(other, "it is the state of update")) << other;
}

TEST(Checkpoint, RefusesNumbersThatAreNone) {
  for (const char* number : {"-1", "1.5", "1e300", "9007199254740993", "\"5\"", "true"}) {
    const std::string message = refused([&](const fs::path& d) {
      replace(d / "state.json",
              sealed(std::string(R"({"format": 4, "checksum": "00000000", "update": )") + number + "}"));
    });
    EXPECT_TRUE(contains(message, "update is not a whole number")) << message;
  }
}

TEST(Checkpoint, RefusesThatOfAnotherModelOrOptimizer) {
  const TempFiles files;
  Training saved;
  save(files, saved, state_at(5));
  ModelConfig config = tiny_config();
  config.decoder.hidden_size = 6;
  Seq2Seq other(config, kSourceVocabulary, kTargetVocabulary);
  other.params().initialize(1);
  Optimizer optimizer(OptimizerOptions{}, other.params());
  const Checkpoints checkpoints(files.directory());
  const TrainingState state = checkpoints.latest_state();
  EXPECT_TRUE(contains(user_error([&] { checkpoints.load(state, other.params(), optimizer); }), "has shape"));
  Training momentum("sgd", 0.5);
  EXPECT_TRUE(contains(user_error([&] { load(files, momentum); }), "momentum."));
}

TEST(Checkpoint, LeavesNoTemporaries) {
  const TempFiles files;
  Training training;
  save(files, training, state_at(5));
  save(files, training, state_at(5));
  EXPECT_EQ(kept(files), (std::set<std::string>{"000005", "latest"}));
  std::set<std::string> inside;
  for (const auto& entry : fs::directory_iterator(files.path("checkpoints/000005"))) {
    inside.insert(entry.path().filename());
  }
  EXPECT_EQ(inside, (std::set<std::string>{"model.safetensors", "optimizer.safetensors", "state.json"}));
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
