// How many processors this process may use.
#pragma once

#include <filesystem>

namespace dragoman {

/// Those that it may run on (taskset, cpusets), or fewer when a control group gives it less time than theirs; at least
/// 1. `root`: instead of "/", for tests.
[[nodiscard]] int available_processors(const std::filesystem::path& root = "/");

}  // namespace dragoman
