#include "app/memory_use.h"

#include <malloc.h>

#include <fstream>
#include <string>

namespace dragoman {
namespace {

/// A line "KEY: N kB" of /proc/self/status. (getrusage's peak begins with that of the process that started us.)
double megabytes_of(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return 1e-6 * 1024 * std::stod(line.substr(key.size()));
  }
  return 0;
}

}  // namespace

void give_memory_back() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  malloc_trim(0);
#endif
}

double current_megabytes() { return megabytes_of("VmRSS:"); }

double peak_megabytes() { return megabytes_of("VmHWM:"); }

}  // namespace dragoman
