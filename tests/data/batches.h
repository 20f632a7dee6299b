// What a Batcher gives, for tests.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "data/batcher.h"

namespace dragoman::testing {

inline std::vector<TrainingBatch> take(Batcher& batcher, std::size_t count) {
  std::vector<TrainingBatch> batches;
  for (std::size_t i = 0; i < count; ++i) batches.push_back(batcher.next());
  return batches;
}

inline std::vector<TrainingBatch> epoch_of(Batcher& batcher) {
  std::vector<TrainingBatch> batches;
  do batches.push_back(batcher.next());
  while (!batches.back().ends_epoch);
  return batches;
}

inline void expect_equal(const TrainingBatch& a, const TrainingBatch& b) {
  EXPECT_EQ(a.batch.line, b.batch.line);
  EXPECT_EQ(a.batch.source.ids, b.batch.source.ids);
  EXPECT_EQ(a.batch.source.offset, b.batch.source.offset);
  EXPECT_EQ(a.batch.target.ids, b.batch.target.ids);
  EXPECT_EQ(a.batch.target.offset, b.batch.target.offset);
  EXPECT_EQ(a.after, b.after);
  EXPECT_EQ(a.ends_epoch, b.ends_epoch);
}

}  // namespace dragoman::testing
