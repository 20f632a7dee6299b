// The control groups of Linux that the process is in: containers and services limit memory and processors by them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dragoman {

struct ControlGroup {
  std::filesystem::path folder;
  bool version_1;  ///< names of files differ
};

/// Those of a controller ("memory", "cpu") and of version 2, each with the groups around it up to the topmost that the
/// process sees. `root`: instead of "/", for tests.
[[nodiscard]] std::vector<ControlGroup> control_groups(const std::filesystem::path& root,
                                                       const std::string& controller);

}  // namespace dragoman
