// dragoman average CHECKPOINT... -o MODEL_DIR: a model whose weights are the mean of others'.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "app/commands.h"
#include "app/directory_lock.h"
#include "app/loaded_model.h"
#include "app/model_directory.h"
#include "core/error.h"
#include "io/atomic_file.h"
#include "train/average.h"
#include "train/model_file.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

struct AverageArguments {
  std::vector<std::string> checkpoints;
  std::string output;
  bool overwrite = false;
};

/// The directory with the configuration and the tokenizer: MODEL_DIR of MODEL_DIR/checkpoints/NNNNNN, or itself.
fs::path model_directory_of(const std::string& checkpoint) {
  if (checkpoint.empty() || !fs::exists(fs::path(checkpoint) / "model.safetensors")) {
    throw UserError(checkpoint, 0,
                    "holds no model.safetensors; expected a directory such as MODEL_DIR/checkpoints/001000");
  }
  const fs::path directory = fs::canonical(checkpoint);
  return fs::exists(directory / "config.yaml") ? directory : directory.parent_path().parent_path();
}

/// Weights can only be averaged if they mean the same.
void check_same_model(const LoadedModel& first, const fs::path& directory, const std::string& checkpoint) {
  const auto model_section = [](const Config& config) {
    Config only_model;
    only_model.model = config.model;
    return emit_config(only_model);
  };
  const TokenizerPair tokenizers = TokenizerPair::load(directory);
  if (model_section(load_config((directory / "config.yaml").string())) != model_section(first.config)) {
    throw UserError(checkpoint, 0, "its model is another than that of the first checkpoint; average one training");
  }
  if (tokenizers.source->serialize() != first.tokenizers.source->serialize() ||
      tokenizers.target->serialize() != first.tokenizers.target->serialize()) {
    throw UserError(checkpoint, 0, "its tokenizer is another than that of the first checkpoint; average one training");
  }
}

/// May a model be written here? What it replaces is removed, so that no file of another model stays.
void clear_output(const fs::path& output, bool overwrite) {
  if (fs::exists(output / "checkpoints") || fs::exists(output / "state.json")) {
    throw UserError(output.string(), 0, "belongs to a training; write the mean to another directory");
  }
  for (const fs::path& file : training_files(output)) {
    if (!fs::exists(file)) continue;
    if (!overwrite) {
      throw UserError(output.string(), 0,
                      "holds a model already (" + file.filename().string() +
                          "); --overwrite replaces it, or use another directory");
    }
    fs::remove(file);
  }
}

void average(const AverageArguments& arguments) {
  const fs::path first = model_directory_of(arguments.checkpoints.front());
  const LoadedModel loaded = load_model_without_weights(first.string());
  ParamStore& store = loaded.model->params();
  check_model((fs::path(arguments.checkpoints.front()) / "model.safetensors").string(), store);
  store.allocate();
  WeightMean mean(store);
  for (const std::string& checkpoint : arguments.checkpoints) {
    const fs::path directory = model_directory_of(checkpoint);
    if (directory != first) check_same_model(loaded, directory, checkpoint);
    mean.add_file((fs::path(checkpoint) / "model.safetensors").string());
  }
  const std::vector<Real> weights = mean.mean();
  std::copy(weights.begin(), weights.end(), store.data());

  const fs::path output(arguments.output);
  std::error_code error;
  fs::create_directories(output, error);
  if (error) throw UserError(output.string(), 0, "cannot create the model directory: " + error.message());
  const DirectoryLock lock(output);
  clear_output(output, arguments.overwrite);
  loaded.tokenizers.save(output);
  write_file_atomically((output / "config.yaml").string(), emit_config(loaded.config));
  save_model((output / "model.safetensors").string(), store);
  std::fprintf(stderr, "dragoman: mean of %zu in %s\n", arguments.checkpoints.size(), arguments.output.c_str());
}

}  // namespace

void add_average(CLI::App& app) {
  auto arguments = std::make_shared<AverageArguments>();
  CLI::App* command =
      app.add_subcommand("average", "A model whose weights are the mean of checkpoints of one training");
  command
      ->add_option("checkpoints", arguments->checkpoints,
                   "Directories with a model.safetensors, such as MODEL_DIR/checkpoints/001000")
      ->required();
  command->add_option("-o,--output", arguments->output, "Model directory to write")->required();
  command->add_flag("--overwrite", arguments->overwrite, "Replace a model in the output directory");
  command->callback([arguments] { average(*arguments); });
}

}  // namespace dragoman
