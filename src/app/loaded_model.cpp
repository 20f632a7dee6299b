#include "app/loaded_model.h"

#include "io/model_place.h"
#include "train/model_file.h"

namespace dragoman {

LoadedModel load_model_without_weights(const std::filesystem::path& path) {
  require_in_model(path, "config.yaml");
  LoadedModel loaded;
  loaded.config = load_config((path / "config.yaml").string());
  loaded.tokenizers = TokenizerPair::load(path);
  loaded.model = std::make_unique<Seq2Seq>(loaded.config.model, static_cast<Index>(loaded.tokenizers.source->size()),
                                           static_cast<Index>(loaded.tokenizers.target->size()));
  return loaded;
}

LoadedModel load_model_directory(const std::string& directory) {
  const ModelPlace place = find_model(directory);
  LoadedModel loaded = load_model_without_weights(place.home);
  load_model((place.weights / "model.safetensors").string(), loaded.model->params());
  return loaded;
}

}  // namespace dragoman
