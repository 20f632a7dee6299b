// parallel_for: each index once, whatever the number of threads, and one well-defined exception.
#include "core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace dragoman {
namespace {

/// Runs a test body with a number of threads and puts the old number back.
template <class Body>
void with_threads(int threads, Body body) {
  const int before = max_threads();
  set_threads(threads);
  body();
  set_threads(before);
}

TEST(ParallelFor, RunsEachIndexOnce) {
  for (const int threads : {1, 2, 4}) {
    with_threads(threads, [&] {
      EXPECT_EQ(max_threads(), threads);
      for (const Index n : {0, 1, 3, 1000}) {
        std::vector<std::atomic<int>> runs(n);
        std::atomic<bool> worker_in_range = true;
        parallel_for(n, [&](Index i, int worker) {
          ++runs[i];
          if (worker < 0 || worker >= threads) worker_in_range = false;
        });
        for (Index i = 0; i < n; ++i) EXPECT_EQ(runs[i], 1) << "index " << i << " of " << n << ", threads " << threads;
        EXPECT_TRUE(worker_in_range);
      }
    });
  }
}

TEST(ParallelFor, PassesOnTheExceptionOfTheLowestIndexAndFinishesTheRest) {
  for (const int threads : {1, 2, 4}) {
    with_threads(threads, [&] {
      for (int repeat = 0; repeat < 20; ++repeat) {
        std::atomic<int> done = 0;
        try {
          parallel_for(100, [&](Index i, int) {
            if (i % 10 == 7) throw std::runtime_error("index " + std::to_string(i));
            ++done;
          });
          ADD_FAILURE() << "no exception";
        } catch (const std::runtime_error& error) {
          EXPECT_STREQ(error.what(), "index 7");
        }
        EXPECT_EQ(done, 90);
      }
    });
  }
}

TEST(ParallelFor, AWorkerNamesOneThread) {
  with_threads(4, [] {
    std::vector<std::atomic<int>> inside(4);
    std::atomic<bool> alone = true;
    parallel_for(200, [&](Index, int worker) {
      if (++inside[worker] != 1) alone = false;
      --inside[worker];
    });
    EXPECT_TRUE(alone);
  });
}

}  // namespace
}  // namespace dragoman
