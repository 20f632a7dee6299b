#include "io/model_place.h"

#include <system_error>

#include "core/error.h"

namespace dragoman {

namespace fs = std::filesystem;

ModelPlace model_place(const fs::path& directory) {
  std::error_code error;
  ModelPlace place{directory, directory};
  const fs::path whole = fs::canonical(directory, error);
  if (!error && !fs::exists(fs::symlink_status(directory / "config.yaml", error)) &&
      whole.parent_path().filename() == "checkpoints") {
    place.home = whole.parent_path().parent_path();
  }
  return place;
}

void require_in_model(const fs::path& directory, const char* name) {
  const fs::path path = directory / name;
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return;
  if (fs::exists(fs::symlink_status(path, ignored))) throw UserError(path.string(), 0, "is not a regular file");
  throw UserError(directory.string(), 0,
                  std::string("not a model directory: ") + name +
                      " is missing (expected the model_dir of a training, or its checkpoints/NNNNNN)");
}

ModelPlace find_model(const std::string& directory) {
  if (directory.empty()) throw UserError("found an empty name, expected a model directory");
  ModelPlace place = model_place(directory);
  require_in_model(place.home, "config.yaml");
  require_in_model(place.weights, "model.safetensors");
  return place;
}

}  // namespace dragoman
