// Where a model lies.
#pragma once

#include <filesystem>
#include <string>

namespace dragoman {

struct ModelPlace {
  std::filesystem::path home;     ///< config.yaml and the tokenizers
  std::filesystem::path weights;  ///< the folder of model.safetensors: home, or one of its checkpoints
};

/// Of a model directory, or MODEL_DIR/checkpoints/NNNNNN. Whether the files are there is not asked.
[[nodiscard]] ModelPlace model_place(const std::filesystem::path& directory);

/// UserError unless the directory has a regular file of that name.
void require_in_model(const std::filesystem::path& directory, const char* name);

/// The place that a user names. UserError: its config.yaml or model.safetensors is missing.
[[nodiscard]] ModelPlace find_model(const std::string& directory);

}  // namespace dragoman
