// Trainings whose numbers stop being finite or jump: noticed, written down, skipped, gone back from.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

#include "support/training_case.h"
#include "train/model_file.h"
#include "train/trainer.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

using testing::contains;

/// Trains with a checkpoint after each update until the numbers burst.
std::string diverge(TrainingCase& c, double learning_rate) {
  c.input.training.validation.every_updates = 0;
  c.input.training.checkpoints.every_updates = 1;
  c.input.training.optimizer.learning_rate = learning_rate;
  Recorder recorder;
  try {
    c.run("m", recorder);
  } catch (const DivergedError& e) {
    return e.what();
  }
  ADD_FAILURE() << "expected a DivergedError";
  return {};
}

constexpr auto kLargest = static_cast<double>(std::numeric_limits<Real>::max());

TEST(Trainer, ADivergedTrainingKeepsItsLastCheckpoint) {
  TrainingCase c;
  const std::string message = diverge(c, kLargest / 16);
  long long update = 0;
  ASSERT_EQ(std::sscanf(message.c_str(), "update %lld: ", &update), 1) << message;
  ASSERT_GT(update, 1);
  EXPECT_TRUE(contains(message, "is not finite")) << message;
  EXPECT_TRUE(contains(message, "training.optimizer.learning_rate")) << message;
  const auto loaded = c.text.model(c.model_config);
  Optimizer optimizer(c.input.training.optimizer, loaded->params());
  const Checkpoints checkpoints(c.directory("m"));
  const TrainingState state = checkpoints.latest_state();
  EXPECT_EQ(state.update, update - 1);
  checkpoints.load(state, loaded->params(), optimizer);  // and it is sound
}

TEST(Trainer, ParametersThatAreNotFiniteAreNeverSaved) {
  // The first gradient is finite, but adam's first step (ten times the rate) is not.
  TrainingCase c;
  const std::string message = diverge(c, kLargest / 2);
  EXPECT_TRUE(contains(message, "update 1: ")) << message;
  EXPECT_FALSE(std::filesystem::exists(c.directory("m") / "checkpoints" / "latest"));
  EXPECT_FALSE(std::filesystem::exists(c.directory("m") / "model.safetensors"));
}

TEST(Trainer, ADivergedBatchIsWrittenSoThatItCanBeRunAgain) {
  TrainingCase c("word", kPoison);
  poison(c);
  Recorder recorder;
  EXPECT_THROW(c.run("m", recorder), DivergedError);
  ASSERT_EQ(recorder.warnings.size(), 1U);
  EXPECT_TRUE(contains(recorder.warnings[0], "diverged/1")) << recorder.warnings[0];
  const std::filesystem::path directory = c.directory("m") / "diverged" / "1";
  const DivergedBatch diverged = read_diverged(directory);
  EXPECT_EQ(diverged.seed, c.input.seed);
  const auto model = c.text.model(c.model_config, 9);
  load_model((directory / "model.safetensors").string(), model->params());
  TrainStep step(*model, c.input.training, diverged.seed);
  for (const Batch& batch : diverged.batches) step.accumulate(batch, diverged.update);
  EXPECT_EQ(step.finish(diverged.update, diverged.learning_rate).problem, diverged.problem);
  EXPECT_TRUE(contains(recorder.warnings[0], diverged.problem)) << recorder.warnings[0];
  EXPECT_TRUE(contains(file_bytes(directory / "batch.json"), "train.src:")) << "where the sentences come from";
}

TEST(Trainer, SkippingLeavesOutTheBatchesThatAreNotFinite) {
  TrainingCase c("word", kPoison);
  poison(c);
  c.input.training.on_divergence = "skip";
  c.input.training.max_updates = 0;
  c.input.training.max_epochs = 2;
  Recorder recorder, sound;
  EXPECT_EQ(c.run("m", recorder), 0);
  ASSERT_FALSE(recorder.warnings.empty());
  for (const std::string& warning : recorder.warnings)
    EXPECT_TRUE(contains(warning, "The batch is skipped")) << warning;
  c.prepare = nullptr;
  EXPECT_EQ(c.run("sound", sound), 0);
  const TrainingState with = Checkpoints(c.directory("m")).latest_state();
  const TrainingState without = Checkpoints(c.directory("sound")).latest_state();
  EXPECT_EQ(with.update + with.divergences, without.update) << "all others were trained";
  EXPECT_EQ(with.divergences, static_cast<std::int64_t>(recorder.warnings.size()));
}

TEST(Trainer, SkippingEndsWhenNothingElseIsLeft) {
  TrainingCase c;
  c.prepare = [](Seq2Seq& model) {
    model.params().data()[model.params().find("output.b")->ref.offset] = std::numeric_limits<Real>::quiet_NaN();
  };
  c.input.training.on_divergence = "skip";
  Recorder recorder;
  EXPECT_THROW(c.run("m", recorder), DivergedError);
  EXPECT_EQ(recorder.warnings.size(), 10U);
  EXPECT_TRUE(contains(recorder.warnings.back(), "So were 9 updates just before")) << recorder.warnings.back();
}

TEST(Trainer, GoingBackLeavesOutTheBatchAtMostThreeTimes) {
  TrainingCase c("word", kPoison);
  poison(c);
  c.input.training.on_divergence = "rollback";
  c.input.training.max_updates = 8;
  Recorder recorder;
  EXPECT_EQ(c.run("m", recorder), 0);
  const auto times = static_cast<std::int64_t>(recorder.warnings.size());
  ASSERT_GT(times, 0);
  ASSERT_LE(times, 3) << "epochs";
  for (const std::string& warning : recorder.warnings) EXPECT_TRUE(contains(warning, "Going back to the checkpoint"));
  EXPECT_EQ(Checkpoints(c.directory("m")).latest_state().rollbacks, times);
  c.input.training.max_updates = 200;  // the word comes back each epoch
  EXPECT_THROW(c.run("longer", recorder), DivergedError);
  EXPECT_TRUE(contains(recorder.warnings.back(), "went back 3 times already")) << recorder.warnings.back();
}

/// Another development set: a line of it makes the logits infinite, which no training pair does.
class BlindSpot : public TrainingCase {
 public:
  BlindSpot() : TrainingCase("word", kPoison), dev(text.open("dev", "1 2\npoison\n", "2 1\n1\n")) {
    poison(*this);
    train = text.open("clean", "1 2 3\n2 1\n3 4 5\n4 4\n1 5\n2 3 1\n", "3 2 1\n1 2\n5 4 3\n4 4\n5 1\n1 3 2\n");
    clean.emplace(*train, text.tokenizers, FilterOptions{});
    input.train = &*clean;
    input.dev = dev.get();
    input.training.validation.metrics = {"loss"};
    input.training.validation.every_updates = 4;
    input.training.checkpoints.every_updates = 3;
  }

  std::unique_ptr<Corpus> dev, train;
  std::optional<PairEncoder> clean;
};

TEST(Trainer, AValidationThatIsNotFiniteNamesUpdateRateAndTheWayOn) {
  for (const std::string metric : {"loss", "bleu"}) {
    BlindSpot c;
    c.input.training.validation.metrics = {metric};
    c.input.training.validation.early_stopping.metric = metric;
    Recorder recorder;
    EXPECT_THROW(c.run("m", recorder), DivergedError) << metric;
    const std::string& said = recorder.warnings.back();
    EXPECT_TRUE(contains(said, "validation after update 4: the model's output is not finite")) << said;
    EXPECT_TRUE(contains(said, "learning rate 0.01")) << said;
    EXPECT_TRUE(
        contains(said, "--resume with training.on_divergence: rollback goes back to the checkpoint of update 3"))
        << said;
    EXPECT_TRUE(recorder.validations.empty());
    EXPECT_EQ(Checkpoints(c.directory("m")).latest_state().update, 3);
  }
}

TEST(Trainer, AValidationThatIsNotFiniteGoesBackAtMostThreeTimesInterruptedOrNot) {
  BlindSpot c;
  c.input.training.on_divergence = "rollback";
  Recorder whole;
  EXPECT_THROW(c.run("m", whole), DivergedError);
  ASSERT_EQ(whole.warnings.size(), 4U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(contains(whole.warnings[i], "Going back to the checkpoint of update 3")) << whole.warnings[i];
  }
  EXPECT_TRUE(contains(whole.warnings[3], "went back 3 times already")) << whole.warnings[3];

  std::vector<std::string> warnings;
  bool ended = false;
  for (int run = 0; run < 40 && !ended; ++run) {
    Recorder recorder;
    int asked = 0;
    recorder.stop = [&] { return ++asked == 2 + run % 4; };  // between updates, and within validations
    try {
      ended = c.run("again", recorder, run > 0) == 0;
    } catch (const DivergedError&) {
      ended = true;
    }
    warnings.insert(warnings.end(), recorder.warnings.begin(), recorder.warnings.end());
  }
  EXPECT_EQ(warnings, whole.warnings);
  EXPECT_EQ(file_bytes(c.directory("again") / "checkpoints" / "000003" / "model.safetensors"),
            file_bytes(c.directory("m") / "checkpoints" / "000003" / "model.safetensors"));
}

/// Nearly learned: losses of thousandths, now and then a batch with one wrong number in it.
TEST(LossWatch, HardBatchesOfANearlyLearnedTaskAreNoJump) {
  LossWatch watch;
  for (int i = 0; i < 5000; ++i) {
    const bool hard = i % 40 == 7 || i % 250 == 8;
    EXPECT_FALSE(watch.jumped(hard ? 0.5 + 0.001 * (i % 997) : 0.004 + 0.002 * std::sin(i))) << i;
  }
}

TEST(Trainer, ALossThatJumpsIsReported) {
  LossWatch watch;
  for (int i = 0; i < 200; ++i) EXPECT_FALSE(watch.jumped(5 + 0.2 * std::sin(i))) << i;
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(watch.jumped(5.9)) << "somewhat high is no jump";
  EXPECT_FALSE(watch.jumped(12));
  EXPECT_FALSE(watch.jumped(12)) << "batches may be hard";
  EXPECT_FALSE(watch.jumped(5));
  EXPECT_FALSE(watch.jumped(12));
  EXPECT_FALSE(watch.jumped(12));
  EXPECT_TRUE(watch.jumped(12)) << "three in a row are a jump";
  LossWatch young;
  for (int i = 0; i < 20; ++i) young.jumped(5);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(young.jumped(12)) << "too early to tell";

  TrainingCase c;
  c.input.dev = nullptr;
  c.input.training.validation.every_updates = 0;
  c.input.training.max_updates = 300;
  c.input.training.optimizer = {.type = "sgd", .learning_rate = 0.05};
  Recorder quiet;
  EXPECT_EQ(c.run("quiet", quiet), 0);
  EXPECT_TRUE(quiet.warnings.empty());
  c.input.training.max_updates = 400;
  c.input.training.optimizer.learning_rate = 100;
  try {
    c.run("quiet", quiet, true);
  } catch (const DivergedError&) {  // may happen, too
  }
  ASSERT_FALSE(quiet.warnings.empty());
  EXPECT_TRUE(contains(quiet.warnings[0], "the loss jumped to")) << quiet.warnings[0];
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
