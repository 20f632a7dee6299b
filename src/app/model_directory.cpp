#include "app/model_directory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

#include "core/error.h"
#include "io/model_place.h"
#include "io/output_file.h"

namespace dragoman {

namespace fs = std::filesystem;

namespace {

bool is_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

}  // namespace

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

void check_outside_model(const std::string& output, const std::string& model) {
  const fs::path written = output_place(output);
  if (written.empty()) return;  // no file
  std::error_code error;
  const fs::path home = fs::canonical(find_model(model).home, error);
  bool inside = !error && is_below(written, home);
  for (const fs::path& file : training_files(home)) inside = inside || fs::equivalent(written, file, error);
  if (inside) {
    throw UserError(output, 0, "belongs to the model directory " + model + ", which is being read; write elsewhere");
  }
}

void check_writable(const fs::path& dir) {
  std::error_code error;
  fs::path there = dir;  // what exists of the path
  while (!fs::exists(there, error) && !error && there.has_relative_path()) {
    if (fs::is_symlink(there)) {
      throw UserError(there.string(), 0,
                      "is a link to a folder that does not exist; make that, or use another --model-dir");
    }
    there = there.parent_path();
  }
  if (!error && !fs::is_directory(there, error)) error.assign(ENOTDIR, std::generic_category());
  if (!error && faccessat(AT_FDCWD, there.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    error.assign(errno, std::generic_category());
  }
  if (error) {
    throw UserError(dir.string(), 0,
                    "the model directory can't be written (" + there.string() + ": " + error.message() +
                        "); --model-dir or training.model_dir puts it elsewhere");
  }
}

}  // namespace dragoman
