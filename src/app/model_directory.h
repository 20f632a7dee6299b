// What lies in a model directory.
#pragma once

#include <filesystem>
#include <vector>

namespace dragoman {

/// What a training writes into its model directory, and --overwrite removes.
std::vector<std::filesystem::path> training_files(const std::filesystem::path& directory);

/// UserError unless the directory can be written or made, as far as permissions say; writes nothing.
void check_writable(const std::filesystem::path& dir);

}  // namespace dragoman
