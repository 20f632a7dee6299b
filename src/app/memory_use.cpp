#include "app/memory_use.h"

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace dragoman {
namespace {

/// A line "KEY: N kB" of a file of /proc, in megabytes; 0: there is none. (getrusage's peak begins with that of the
/// process that started us.)
double megabytes_of(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return 1e-6 * 1024 * std::stod(line.substr(key.size()));
  }
  return 0;
}

/// Bytes: of the memory controller's groups (version 1 and 2) that the process is in, up to the root that it sees.
std::vector<double> control_group_limits() {
  std::vector<double> limits;
  std::ifstream groups("/proc/self/cgroup");  // lines "4:memory:/a/b" (version 1) and "0::/a/b" (version 2)
  for (std::string line; std::getline(groups, line);) {
    const bool first = line.find(":memory:") != std::string::npos;
    if (!first && !line.starts_with("0::")) continue;
    const std::filesystem::path root = first ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup";
    const std::string below = line.substr(line.find(':', line.find(':') + 1) + 1);
    for (std::filesystem::path group = std::filesystem::path(below).relative_path();; group = group.parent_path()) {
      std::ifstream file(root / group / (first ? "memory.limit_in_bytes" : "memory.max"));
      if (double bytes = 0; file >> bytes) limits.push_back(bytes);  // "max": no limit
      if (group.empty()) break;
    }
  }
  return limits;
}

double own(const std::string& key) { return megabytes_of("/proc/self/status", key); }

}  // namespace

void give_memory_back() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  malloc_trim(0);
#endif
}

double current_megabytes() { return own("VmRSS:"); }

double peak_megabytes() { return own("VmHWM:"); }

double available_megabytes() {
  double available = megabytes_of("/proc/meminfo", "MemAvailable:") + megabytes_of("/proc/meminfo", "SwapFree:");
  if (available <= 0) available = std::numeric_limits<double>::infinity();  // not told
  for (const double limit : control_group_limits()) available = std::min(available, 1e-6 * limit - own("VmRSS:"));
  rlimit space{};
  if (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    available = std::min(available, 1e-6 * static_cast<double>(space.rlim_cur) - own("VmSize:"));
  }
  return std::max(available, 0.0);
}

}  // namespace dragoman
