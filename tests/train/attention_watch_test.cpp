// When a training says that its model does not look at the source.
#include "train/attention_watch.h"

#include <gtest/gtest.h>

#include "train/training_state.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

const std::vector<HeadEntropy> kBlind = {{"encoder", 0, 0, 0.3, 0.9}, {"cross", 0, 0, 0.999, 0.1}};
const std::vector<HeadEntropy> kSeeing = {{"cross", 0, 0, 0.999, 0.1}, {"cross", 0, 1, 0.98, 0.1}};

TEST(AttentionWatch, TellsOnceAfterWarmUp) {
  AttentionWatch watch;
  EXPECT_FALSE(watch.tells(kBlind, 1999, 2000));
  EXPECT_FALSE(watch.tells(kSeeing, 2000, 2000));
  EXPECT_TRUE(watch.tells(kBlind, 2100, 2000));
  EXPECT_FALSE(watch.tells(kBlind, 2200, 2000));
}

TEST(AttentionWatch, RemembersThatItToldInTheStateOfATraining) {
  TrainingState state;
  state.files["model.safetensors"] = 0;
  for (const bool told : {false, true}) {
    EXPECT_EQ(state.attention_watch.tells(kBlind, 2000, 2000), told == false);
    state = parse_state(write_state(state), "state.json");
  }
  EXPECT_TRUE(state.attention_watch.told);
}

TEST(AttentionWatch, WaitsForAThousandUpdatesWithoutWarmUp) {
  AttentionWatch watch;
  EXPECT_FALSE(watch.tells(kBlind, 999, 0));
  EXPECT_TRUE(watch.tells(kBlind, 1000, 0));
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
