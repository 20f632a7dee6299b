#include "core/memory_use.h"

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "core/control_groups.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// The number behind a word at the start of a line, or of the whole file; `missing` when there is none ("max").
double number_in(const fs::path& path, const std::string& word, double missing) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    double number = 0;
    if (line.starts_with(word) && std::istringstream(line.substr(word.size())) >> number) return number;
  }
  return missing;
}

double megabytes_in(const fs::path& path, const std::string& key) { return 1e-6 * 1024 * number_in(path, key, 0); }

/// (Not getrusage, whose peak begins with that of the process that started us.)
double own(const std::string& key) { return megabytes_in("/proc/self/status", key); }

/// What a group of the memory controller has left; pages of files that nobody uses are as good as free.
double left_of_group(const fs::path& group, bool version_1) {
  const double limit = number_in(group / (version_1 ? "memory.limit_in_bytes" : "memory.max"), "", kUnlimited);
  const double used = number_in(group / (version_1 ? "memory.usage_in_bytes" : "memory.current"), "", 0);
  const double pages = number_in(group / "memory.stat", version_1 ? "total_inactive_file " : "inactive_file ", 0);
  return 1e-6 * (limit - std::max(used - pages, 0.0));
}

/// The least that is left of the groups that the process is in.
double left_of_control_groups(const fs::path& root) {
  double left = kUnlimited;
  for (const ControlGroup& group : control_groups(root, "memory")) {
    left = std::min(left, left_of_group(group.folder, group.version_1));
  }
  return left;
}

}  // namespace

void give_memory_back() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  malloc_trim(0);
#endif
}

double current_megabytes() { return own("VmRSS:"); }

double peak_megabytes() { return own("VmHWM:"); }

double available_megabytes(const fs::path& root) {
  const fs::path info = root / "proc/meminfo";
  double available = megabytes_in(info, "MemAvailable:") + megabytes_in(info, "SwapFree:");
  if (available <= 0) available = kUnlimited;  // not told
  available = std::min(available, left_of_control_groups(root));
  rlimit space{};
  if (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    available = std::min(available, 1e-6 * static_cast<double>(space.rlim_cur) - own("VmSize:"));
  }
  return std::max(available, 0.0);
}

}  // namespace dragoman
