// dragoman replay MODEL_DIR/diverged/N: the update at which numbers stopped being finite, computed again.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>

#include "app/commands.h"
#include "app/loaded_model.h"
#include "app/threads.h"
#include "config/config.h"
#include "core/error.h"
#include "train/diverged_batch.h"
#include "train/model_file.h"
#include "train/step.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

void check_sentences(const Sentences& sentences, std::size_t vocabulary, Index longest, const std::string& path) {
  const auto require = [&](bool good, const std::string& found, const std::string& expected) {
    if (!good) throw UserError(path, 0, "found " + found + ", expected " + expected + ": is it another model's batch?");
  };
  require(sentences.count() > 0, "a batch without sentences", "at least one");
  for (const TokenId id : sentences.ids) {
    require(id >= 0 && static_cast<std::size_t>(id) < vocabulary, "token id " + std::to_string(id),
            "0 to " + std::to_string(vocabulary - 1));
  }
  for (Index i = 0; i < sentences.count(); ++i) {
    const Index length = sentences.length(i);
    require(length > 0 && length <= longest, "a sentence of " + std::to_string(length) + " tokens",
            "1 to " + std::to_string(longest));
  }
}

/// Each sentence by itself, without dropout: which ones are to blame?
void print_sentences(const Seq2Seq& model, const Batch& batch, double label_smoothing) {
  Workspace workspace;
  for (Index i = 0; i < batch.count(); ++i) {
    Batch one;
    one.source.add(batch.source[i]);
    one.target.add(batch.target[i]);
    workspace.reset();
    const LossSums sums = model.evaluate(model.values(), one, label_smoothing, {}, workspace);
    const std::uint64_t pair = batch.line[static_cast<std::size_t>(i)] + 1;
    std::printf("  pair %s: loss %.6g a label without dropout\n", std::to_string(pair).c_str(),
                sums.loss / static_cast<double>(sums.labels));
  }
}

void replay(const std::string& directory) {
  const fs::path path(directory);
  const DivergedBatch diverged = read_diverged(path);
  const fs::path weights = path / "model.safetensors";
  if (!fs::exists(weights)) {
    throw UserError(weights.string(), 0,
                    "is absent: this update made parameters infinite, and the weights before it are not known; the "
                    "sentences are in batch.json");
  }
  const LoadedModel loaded = load_model_without_weights(fs::canonical(path).parent_path().parent_path());
  load_model(weights.string(), loaded.model->params());
  const std::string batch_path = (path / "batch.json").string();
  use_threads(loaded.config.threads);
  TrainStep step(*loaded.model, loaded.config.training, diverged.seed);
  const auto longest = static_cast<Index>(loaded.config.data.max_length) + 1;  // with eos
  for (const Batch& batch : diverged.batches) {
    check_sentences(batch.source, loaded.tokenizers.source->size(),
                    std::min(longest, loaded.model->max_source_tokens()), batch_path);
    check_sentences(batch.target, loaded.tokenizers.target->size(),
                    std::min(longest, loaded.model->max_target_tokens()), batch_path);
  }
  std::printf("update %lld: %s was not finite\n", static_cast<long long>(diverged.update),
              one_line(diverged.problem).c_str());
  for (const Batch& batch : diverged.batches) {
    print_sentences(*loaded.model, batch, loaded.config.training.label_smoothing);
  }
  for (const Batch& batch : diverged.batches) step.accumulate(batch, diverged.update);
  const TrainStep::Result result = step.finish(diverged.update, diverged.learning_rate);
  std::printf("again: %s; loss %.6g, gradient norm %.6g\n",
              result.problem.empty() ? "everything is finite" : (result.problem + " is not finite").c_str(),
              result.sums.loss / static_cast<double>(result.sums.labels), result.gradient_norm);
}

}  // namespace

void add_replay(CLI::App& app) {
  auto directory = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("replay", "Compute again the update at which a training diverged");
  command->add_option("directory", *directory, "MODEL_DIR/diverged/N")->required();
  command->callback([directory] { replay(*directory); });
}

}  // namespace dragoman
