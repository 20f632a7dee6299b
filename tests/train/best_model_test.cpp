// model.safetensors and the checkpoints belong together at any moment.
#include "train/best_model.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "core/rng.h"
#include "support/training_case.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

namespace fs = std::filesystem;

/// Ends the run, as a crash does, when the directory is to be written for the n-th time.
class Crash : public Recorder {
 public:
  explicit Crash(int writes) : writes_(writes) {}
  void saving() override {
    if (--writes_ == 0) throw std::runtime_error("crash");
  }

 private:
  int writes_;
};

TrainingState latest(const TrainingCase& c, const std::string& name) {
  return Checkpoints(c.directory(name)).latest_state();
}

TEST(BestModel, AnEarlierEndTestsTheModelThatItReports) {
  int resumed = 0;
  for (int writes = 1;; ++writes) {
    SCOPED_TRACE(writes);
    TrainingCase c;
    c.input.test = c.input.dev;
    c.input.training.checkpoints.every_updates = 5;  // not where it is validated
    Crash crash(writes);
    bool crashed = false;
    try {
      c.run("m", crash);
    } catch (const std::runtime_error&) {
      crashed = true;
    }
    if (!crashed) break;
    if (!fs::exists(c.directory("m") / "checkpoints" / "latest")) continue;
    ++resumed;
    c.input.training.max_updates = latest(c, "m").update;
    EXPECT_EQ(c.run("m", crash, true), 0);
    const TrainingState state = latest(c, "m");
    EXPECT_TRUE(BestModel(c.directory("m")).belongs_to(state)) << "update " << state.update;
    ASSERT_FALSE(crash.tests.empty());
    EXPECT_EQ(crash.tests.back().update, state.best ? state.best_update : state.update);
  }
  EXPECT_GT(resumed, 5);
}

TEST(BestModel, ADamagedOneIsMadeAgainFromItsCheckpoint) {
  int damaged = 0;
  for (const std::string kind : {"plain", "moving average", "mean of checkpoints"}) {
    SCOPED_TRACE(kind);
    TrainingCase c;
    if (kind == "moving average") c.input.training.ema = 0.7;
    if (kind == "mean of checkpoints") {
      c.input.training.checkpoints = {.every_updates = 3, .keep = 3, .average_last = 3};
    }
    Recorder whole, parts;
    ASSERT_EQ(c.run("whole", whole), 0);
    Rng rng(hash_name(kind));
    parts.stop = [&] { return rng.uniform() < 0.3; };
    int signal = c.run("parts", parts);
    for (int runs = 1; signal != 0 && runs < 500; ++runs) {
      const TrainingState state = latest(c, "parts");
      if (state.best && state.best_update == state.update) {
        std::ofstream(c.directory("parts") / "model.safetensors") << "damaged";
        ++damaged;
      }
      signal = c.run("parts", parts, true);
    }
    EXPECT_EQ(signal, 0);
    expect_same_tree(c.directory("parts"), c.directory("whole"));
  }
  EXPECT_GT(damaged, 0);
}

TEST(BestModel, IsInItsPlaceWhenItIsPut) {
  TrainingCase c;
  Recorder recorder;
  ASSERT_EQ(c.run("m", recorder), 0);
  const Checkpoints checkpoints(c.directory("m"));
  TrainingState state = checkpoints.latest_state();
  const std::string before = c.model_bytes("m");
  BestModel best(c.directory("m"));
  EXPECT_TRUE(best.belongs_to(state));
  {
    BestModel other(c.directory("m"));
    c.model->params().data()[0] += 1;
    (void)other.prepare(c.model->params());
    EXPECT_TRUE(other.prepared());
  }
  EXPECT_EQ(c.model_bytes("m"), before) << "not put";
  const std::uint32_t checksum = best.prepare(c.model->params());
  best.put_in_place();
  EXPECT_FALSE(best.prepared());
  EXPECT_FALSE(best.belongs_to(state));
  EXPECT_TRUE(best.available(checkpoints, state)) << "in a checkpoint";
  ASSERT_TRUE(best.restore(checkpoints, state));
  EXPECT_EQ(c.model_bytes("m"), before);
  state.best_checksum = checksum;
  EXPECT_FALSE(best.restore(checkpoints, state));
  state.best_update -= 1;
  EXPECT_FALSE(best.available(checkpoints, state));
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
