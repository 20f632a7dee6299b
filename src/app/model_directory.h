// What lies in a model directory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dragoman {

/// What a training writes into its model directory, and --overwrite removes.
std::vector<std::filesystem::path> training_files(const std::filesystem::path& directory);

/// UserError when writing to the path would change the model that is being read.
void check_outside_model(const std::string& output, const std::string& model);

/// UserError unless the directory can be written or made, as far as permissions say; writes nothing.
void check_writable(const std::filesystem::path& dir);

}  // namespace dragoman
