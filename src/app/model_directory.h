// What lies in a model directory.
#pragma once

#include <filesystem>
#include <vector>

namespace dragoman {

/// What a training writes into its model directory, and --overwrite removes.
std::vector<std::filesystem::path> training_files(const std::filesystem::path& directory);

}  // namespace dragoman
