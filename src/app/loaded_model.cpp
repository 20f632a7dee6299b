#include "app/loaded_model.h"

#include <filesystem>

#include "core/error.h"
#include "train/model_file.h"

namespace dragoman {

LoadedModel load_model_directory(const std::string& directory) {
  const std::filesystem::path path(directory);
  for (const char* name : {"config.yaml", "model.safetensors"}) {
    if (!std::filesystem::exists(path / name)) {
      throw UserError(
          directory, 0,
          std::string("not a model directory: ") + name + " is missing (expected the model_dir of a training)");
    }
  }
  LoadedModel loaded;
  loaded.config = load_config((path / "config.yaml").string());
  loaded.tokenizers = TokenizerPair::load(path);
  loaded.model = std::make_unique<Seq2Seq>(loaded.config.model, static_cast<Index>(loaded.tokenizers.source->size()),
                                           static_cast<Index>(loaded.tokenizers.target->size()));
  load_model((path / "model.safetensors").string(), loaded.model->params());
  return loaded;
}

}  // namespace dragoman
