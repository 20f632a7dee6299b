// dragoman score MODEL_DIR --source F --target F
#include <CLI/CLI.hpp>
#include <cstdio>

#include "app/commands.h"
#include "app/loaded_model.h"
#include "app/options.h"
#include "app/threads.h"
#include "core/error.h"
#include "data/pair_encoder.h"
#include "translate/scorer.h"

namespace dragoman {
namespace {

struct ScoreArguments {
  std::string model, source, target;
  int threads = 0;
};

void score(const ScoreArguments& arguments) {
  use_threads(arguments.threads);
  LoadedModel loaded = load_model_directory(arguments.model);
  ParallelFiles files;
  files.source = {arguments.source};
  files.target = {arguments.target};
  const Corpus corpus(files);
  const DataOptions& data = loaded.config.data;
  const PairEncoder encoder(corpus, loaded.tokenizers, {data.max_length, data.on_long, data.normalization}, 0);
  constexpr std::size_t kBatchLabels = 2048;
  const std::vector<Batch> batches = encode_all(encoder, kBatchLabels);
  check_lengths(*loaded.model, batches, corpus, loaded.config.decoding.max_input);
  std::vector<PairScore> scores;
  evaluate_batches(*loaded.model, batches, 0, &scores);
  for (const PairScore& s : scores) {
    std::printf("%.6f\t%lld\n", s.log_prob, static_cast<long long>(s.labels));
  }
}

}  // namespace

void add_score(CLI::App& app) {
  auto arguments = std::make_shared<ScoreArguments>();
  CLI::App* command = app.add_subcommand("score", "Log-probability of given pairs: sum, TAB, number of labels");
  command->add_option("model", arguments->model, "Model directory")->required();
  command->add_option("--source", arguments->source, "Source file")->required();
  command->add_option("--target", arguments->target, "Target file")->required();
  add_value(*command, "--threads", arguments->threads, allowed_of("threads"), kThreadsHelp);
  command->callback([arguments] { score(*arguments); });
}

}  // namespace dragoman
