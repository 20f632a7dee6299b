// The bump allocator of a step.
#include "core/workspace.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr Index kMillion = 1000000;

bool aligned(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 64 == 0; }

TEST(Workspace, MatricesAreAlignedAndApart) {
  Workspace workspace;
  std::vector<Mat> all;
  for (int i = 1; i <= 200; ++i) {
    const Mat m = workspace.mat(i, 37);
    EXPECT_TRUE(aligned(m.data));
    EXPECT_EQ(m.rows, i);
    EXPECT_EQ(m.cols, 37);
    EXPECT_EQ(m.ld, 37);
    for (Index k = 0; k < m.rows * m.cols; ++k) m.data[k] = static_cast<Real>(i);
    all.push_back(m);
    EXPECT_TRUE(aligned(workspace.array<char>(i).data()));
  }
  for (int i = 1; i <= 200; ++i) {  // nobody has written into another's rows
    const Mat& m = all[i - 1];
    for (Index k = 0; k < m.rows * m.cols; ++k) ASSERT_EQ(m.data[k], static_cast<Real>(i));
  }
}

TEST(Workspace, ZerosAreZeroAlsoInUsedMemory) {
  Workspace workspace;
  const Mat dirty = workspace.mat(10, 10);
  for (Index k = 0; k < 100; ++k) dirty.data[k] = 1;
  workspace.reset();
  const Mat clean = workspace.zeros(10, 10);
  EXPECT_EQ(clean.data, dirty.data);
  for (Index k = 0; k < 100; ++k) EXPECT_EQ(clean.data[k], 0);
}

TEST(Workspace, MadeObjectsStartWithTheirDefaults) {
  struct Saved {
    Index rows = 7;
    Mat m;
  };
  Workspace workspace;
  const Saved* saved = workspace.make<Saved>();
  EXPECT_EQ(saved->rows, 7);
  EXPECT_TRUE(saved->m.empty());
}

TEST(Workspace, AScopeGivesBackWhatWasTakenInside) {
  Workspace workspace;
  const Mat before = workspace.zeros(3, 3);
  const Real* inside = nullptr;
  {
    const Workspace::Scope scope(workspace);
    inside = workspace.mat(5, 5).data;
    EXPECT_NE(inside, before.data);
  }
  EXPECT_EQ(workspace.mat(5, 5).data, inside);
  EXPECT_EQ(before(2, 2), 0);
}

TEST(Workspace, AScopeGivesBackNewBlocksToo) {
  Workspace workspace;
  workspace.mat(1, 8);
  const Real* small = nullptr;
  {
    const Workspace::Scope scope(workspace);
    small = workspace.mat(1, 8).data;
    for (int i = 0; i < 4; ++i) workspace.mat(1, kMillion);
  }
  const std::size_t peak = workspace.peak_bytes();
  EXPECT_EQ(workspace.mat(1, 8).data, small);
  for (int repeat = 0; repeat < 10; ++repeat) {
    const Workspace::Scope scope(workspace);
    for (int i = 0; i < 4; ++i) workspace.mat(1, kMillion);
  }
  EXPECT_LE(workspace.peak_bytes(), peak + 64) << "repeated scopes take the same blocks again";
}

TEST(Workspace, ResetMergesTheBlocksIntoOne) {
  Workspace workspace;
  const auto fill_step = [&] {
    std::vector<const Real*> places;
    for (int i = 0; i < 6; ++i) places.push_back(workspace.mat(1, kMillion).data);
    return places;
  };
  const auto in_one_piece = [](const std::vector<const Real*>& places) {
    for (std::size_t i = 1; i < places.size(); ++i) {
      if (places[i] != places[i - 1] + kMillion) return false;
    }
    return true;
  };
  static_assert(kMillion * sizeof(Real) % 64 == 0);
  EXPECT_FALSE(in_one_piece(fill_step())) << "the first step grows";
  EXPECT_GE(workspace.peak_bytes(), 6 * kMillion * sizeof(Real));
  workspace.reset();
  const std::vector<const Real*> second = fill_step();
  EXPECT_TRUE(in_one_piece(second));
  workspace.reset();
  EXPECT_EQ(fill_step(), second) << "from then on the same memory";
}

#ifndef NDEBUG
TEST(Workspace, FreshMatricesAreNanInDebugBuilds) {
  Workspace workspace;
  for (int repeat = 0; repeat < 2; ++repeat) {
    const Mat m = workspace.mat(2, 2);
    for (Index k = 0; k < 4; ++k) {
      EXPECT_NE(m.data[k], m.data[k]);
      m.data[k] = 1;
    }
    workspace.reset();
  }
}
#endif

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
