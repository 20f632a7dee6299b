#include "app/memory_use.h"

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

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
  for (const char* limit : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    double bytes = 0;  // "max": no limit
    if (std::ifstream(limit) >> bytes) available = std::min(available, 1e-6 * bytes - own("VmRSS:"));
  }
  rlimit space{};
  if (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    available = std::min(available, 1e-6 * static_cast<double>(space.rlim_cur) - own("VmSize:"));
  }
  return std::max(available, 0.0);
}

}  // namespace dragoman
