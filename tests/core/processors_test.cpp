#include "core/processors.h"

#include <gtest/gtest.h>
#include <sched.h>

#include "data/temp_files.h"

namespace dragoman {
namespace {

using testing::TempFiles;

/// A file below a root of its own, with the folders above it.
void put(const TempFiles& files, const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(files.path(path)).parent_path());
  files.write(path, text);
}

TEST(Processors, AreThoseThatTheProcessMayRunOn) {
  const TempFiles nothing;  // no control groups
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(available_processors(nothing.directory()), CPU_COUNT(&before));
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(available_processors(nothing.directory()), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(Processors, AreFewerWhereAControlGroupGivesLessTime) {
  for (const bool version_1 : {true, false}) {
    SCOPED_TRACE(version_1 ? "version 1" : "version 2");
    const TempFiles files;
    const int all = available_processors(files.directory());
    const std::string top = version_1 ? "sys/fs/cgroup/cpu/" : "sys/fs/cgroup/";
    const auto limit = [&](const std::string& group, const std::string& quota) {
      if (version_1) {
        put(files, top + group + "cpu.cfs_quota_us", quota + "\n");
        put(files, top + group + "cpu.cfs_period_us", "100000\n");
      } else {
        put(files, top + group + "cpu.max", (quota == "-1" ? "max" : quota) + " 100000\n");
      }
    };
    put(files, "proc/self/cgroup", version_1 ? "4:memory:/x\n5:cpu,cpuacct:/a/b\n" : "0::/a/b\n");
    limit("a/b/", "-1");
    EXPECT_EQ(available_processors(files.directory()), all) << "no limit";
    limit("a/", "50000");
    EXPECT_EQ(available_processors(files.directory()), 1) << "half a processor";
    limit("a/", "99900000");
    EXPECT_EQ(available_processors(files.directory()), all) << "more than there are";
  }
}

}  // namespace
}  // namespace dragoman
