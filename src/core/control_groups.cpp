#include "core/control_groups.h"

#include <fstream>

namespace dragoman {

namespace fs = std::filesystem;

std::vector<ControlGroup> control_groups(const fs::path& root, const std::string& controller) {
  std::vector<ControlGroup> groups;
  std::ifstream file(root / "proc/self/cgroup");  // lines "4:cpu,cpuacct:/a/b" (version 1) and "0::/a/b" (version 2)
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool version_1 = names.find("," + controller + ",") != std::string::npos;
    if (!version_1 && !line.starts_with("0::")) continue;
    const fs::path top = root / (version_1 ? "sys/fs/cgroup/" + controller : "sys/fs/cgroup");
    for (fs::path group = fs::path(line.substr(second + 1)).relative_path();; group = group.parent_path()) {
      groups.push_back({top / group, version_1});
      if (group.empty()) break;
    }
  }
  return groups;
}

}  // namespace dragoman
