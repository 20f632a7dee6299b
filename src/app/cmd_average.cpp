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
#include "io/model_place.h"
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

/// Weights can only be averaged if they mean the same.
void check_same_model(const LoadedModel& first, const fs::path& home, const std::string& checkpoint) {
  const auto model_section = [](const Config& config) {
    Config only_model;
    only_model.model = config.model;
    return emit_config(only_model);
  };
  const TokenizerPair tokenizers = TokenizerPair::load(home);
  if (model_section(load_config((home / "config.yaml").string())) != model_section(first.config)) {
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
    remove_whole(file.string());
  }
}

/// Of a model directory with checkpoints only the best model is taken, which may not be what was meant.
void announce(const std::string& named, const ModelPlace& place) {
  const fs::path checkpoints = place.home / "checkpoints";
  if (place.weights != place.home || !fs::exists(checkpoints)) return;
  std::fprintf(stderr, "dragoman: %s: its best model is taken; its checkpoints would be %s/[0-9]*\n",
               one_line(named).c_str(), one_line(checkpoints.string()).c_str());
}

void average(const AverageArguments& arguments) {
  std::vector<ModelPlace> places;
  for (const std::string& named : arguments.checkpoints) {
    places.push_back(find_model(named));
    check_outside_model(arguments.output, named);
  }
  const LoadedModel loaded = load_model_without_weights(places.front().home);
  ParamStore& store = loaded.model->params();
  check_model((places.front().weights / "model.safetensors").string(), store);
  store.allocate();
  WeightMean mean(store);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].home != places.front().home) check_same_model(loaded, places[i].home, arguments.checkpoints[i]);
    mean.add_file((places[i].weights / "model.safetensors").string());
  }
  for (std::size_t i = 0; i < places.size(); ++i) announce(arguments.checkpoints[i], places[i]);
  const std::vector<Real> weights = mean.mean();
  std::copy(weights.begin(), weights.end(), store.data());

  const fs::path output(arguments.output);
  make_folder(output.string());
  const DirectoryLock lock(output);
  clear_output(output, arguments.overwrite);
  loaded.tokenizers.save(output);
  write_file_atomically((output / "config.yaml").string(), emit_config(loaded.config));
  save_model((output / "model.safetensors").string(), store);
  std::fprintf(stderr, "dragoman: mean of %zu in %s\n", arguments.checkpoints.size(),
               one_line(arguments.output).c_str());
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
