#include "core/processors.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <thread>

#include "core/control_groups.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

/// That the process may run on.
int allowed_processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());  // more of them than fit into the set
}

/// Microseconds of processor time a period of so many that a group may take: "50000 100000"; "max" is no limit.
double processors_of(const ControlGroup& group, double otherwise) {
  double quota = 0, period = 0;
  if (group.version_1) {
    std::ifstream(group.folder / "cpu.cfs_quota_us") >> quota;
    std::ifstream(group.folder / "cpu.cfs_period_us") >> period;
  } else {
    std::ifstream(group.folder / "cpu.max") >> quota >> period;
  }
  return quota > 0 && period > 0 ? quota / period : otherwise;
}

}  // namespace

int available_processors(const fs::path& root) {
  double processors = allowed_processors();
  for (const ControlGroup& group : control_groups(root, "cpu")) {
    processors = std::min(processors, processors_of(group, processors));
  }
  return std::max(1, static_cast<int>(std::ceil(processors)));
}

}  // namespace dragoman
