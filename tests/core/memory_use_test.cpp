#include "core/memory_use.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "data/temp_files.h"

namespace dragoman {
namespace {

using testing::TempFiles;

/// A file below a root of its own, with the folders above it.
void put(const TempFiles& files, const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(files.path(path)).parent_path());
  files.write(path, text);
}

TEST(MemoryUse, OfThisProcessIsKnown) {
  give_memory_back();  // of earlier tests
  const double before = current_megabytes();
  EXPECT_GT(before, 1);
  {
    const std::vector<char> block(200'000'000, 1);
    EXPECT_GT(current_megabytes(), before + 150);
    EXPECT_EQ(std::count(block.begin(), block.end(), 1), std::ssize(block)) << "so that it is not optimized away";
  }
  EXPECT_GE(peak_megabytes(), before + 150);
  EXPECT_GT(available_megabytes(), 0);
}

TEST(MemoryUse, NothingKnownIsNoLimit) {
  const TempFiles files;
  EXPECT_TRUE(std::isinf(available_megabytes(files.directory())));
}

TEST(MemoryUse, AvailableIsMemoryAndSwap) {
  const TempFiles files;
  put(files, "proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable:  2000000 kB\nSwapFree: 500000 kB\n");
  EXPECT_NEAR(available_megabytes(files.directory()), 2.5e6 * 1024 * 1e-6, 1e-6);
}

TEST(MemoryUse, AvailableIsWhatTheTightestControlGroupHasLeft) {
  for (const bool version_1 : {true, false}) {
    SCOPED_TRACE(version_1 ? "version 1" : "version 2");
    const TempFiles files;
    const std::string top = version_1 ? "sys/fs/cgroup/memory/" : "sys/fs/cgroup/";
    const std::string limit = version_1 ? "memory.limit_in_bytes" : "memory.max";
    const std::string used = version_1 ? "memory.usage_in_bytes" : "memory.current";
    put(files, "proc/meminfo", "MemAvailable: 9000000 kB\n");
    put(files, "proc/self/cgroup", version_1 ? "5:cpu:/x\n4:memory:/a/b\n0::/\n" : "0::/a/b\n");
    put(files, top + "a/" + limit, "1000000000\n");
    put(files, top + "a/" + used, "700000000\n");
    EXPECT_NEAR(available_megabytes(files.directory()), 300, 1e-6) << "others use it, too";
    const std::string idle = version_1 ? "total_inactive_file " : "inactive_file ";
    put(files, top + "a/memory.stat", "anon 1\n" + idle + "50000000\n");
    EXPECT_NEAR(available_megabytes(files.directory()), 350, 1e-6) << "pages of files can be dropped";
    put(files, top + "a/b/" + limit, version_1 ? "9223372036854771712\n" : "max\n");
    EXPECT_NEAR(available_megabytes(files.directory()), 350, 1e-6);
    put(files, top + "a/b/" + limit, "100000000\n");
    put(files, top + "a/b/" + used, "100500000\n");
    EXPECT_EQ(available_megabytes(files.directory()), 0);
  }
}

}  // namespace
}  // namespace dragoman
