#include "app/model_directory.h"

#include <string>

namespace dragoman {

namespace fs = std::filesystem;

std::vector<fs::path> training_files(const fs::path& dir) {
  std::vector<fs::path> files = {dir / "checkpoints", dir / "diverged"};
  for (const char* name : {"model.safetensors", "config.yaml", "train.log", "metrics.jsonl", "timing.jsonl"}) {
    files.push_back(dir / name);
  }
  for (const char* name : {"tokenizer", "source", "target"}) {
    for (const char* extension : {".model", ".json"}) files.push_back(dir / (std::string(name) + extension));
  }
  return files;
}

}  // namespace dragoman
