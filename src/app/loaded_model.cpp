#include "app/loaded_model.h"

#include <filesystem>

#include "core/error.h"
#include "train/model_file.h"

namespace dragoman {

namespace {

void require(const std::filesystem::path& directory, const char* name) {
  const std::filesystem::path path = directory / name;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) return;
  if (std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) {
    throw UserError(path.string(), 0, "is not a regular file");
  }
  throw UserError(directory.string(), 0,
                  std::string("not a model directory: ") + name + " is missing (expected the model_dir of a training)");
}

}  // namespace

LoadedModel load_model_without_weights(const std::string& directory) {
  const std::filesystem::path path(directory);
  require(path, "config.yaml");
  LoadedModel loaded;
  loaded.config = load_config((path / "config.yaml").string());
  loaded.tokenizers = TokenizerPair::load(path);
  loaded.model = std::make_unique<Seq2Seq>(loaded.config.model, static_cast<Index>(loaded.tokenizers.source->size()),
                                           static_cast<Index>(loaded.tokenizers.target->size()));
  return loaded;
}

LoadedModel load_model_directory(const std::string& directory) {
  const std::filesystem::path path(directory);
  require(path, "config.yaml");
  require(path, "model.safetensors");
  LoadedModel loaded = load_model_without_weights(directory);
  load_model((path / "model.safetensors").string(), loaded.model->params());
  return loaded;
}

}  // namespace dragoman
