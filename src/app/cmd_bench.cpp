// dragoman bench CONFIG.yaml: speed of whole updates on the configuration's own data.
#include <sys/resource.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "app/commands.h"
#include "app/threads.h"
#include "app/version.h"
#include "config/config.h"
#include "core/error.h"
#include "core/profile.h"
#include "data/batcher.h"
#include "kernels/fma_peak.h"
#include "train/flops.h"
#include "train/step.h"

namespace dragoman {
namespace {

struct BenchArguments {
  std::string config;
  std::vector<std::string> overrides;
  int updates = 60;
  int warmup = 10;
  std::optional<int> threads;
  bool json = false;
};

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

Batch next_batch(Batcher& batcher) {
  const Profile::Scope scope(Part::data);
  return batcher.next().batch;
}

void bench(const BenchArguments& arguments) {
  Config config = load_config(arguments.config, arguments.overrides, Files::must_exist);
  if (arguments.updates < 1 || arguments.warmup < 0)
    throw UserError("--updates: expected at least 1, --warmup at least 0");
  if (config.data.train.empty()) throw UserError(arguments.config, 0, "data.train: bench needs training text");
  const int threads = use_threads(arguments.threads.value_or(config.threads));
  const FmaPeak peak = measure_fma_peak();  // before the batcher's thread begins to work
  const Corpus corpus(config.data.train, config.data.tsv_header);
  const TokenizerPair tokenizers =
      train_tokenizers(config.tokenizer, corpus, config.data.normalization, config.seed, nullptr);
  Seq2Seq model(config.model, static_cast<Index>(tokenizers.source->size()),
                static_cast<Index>(tokenizers.target->size()));
  model.params().initialize(config.seed);
  TrainStep step(model, config.training, config.seed);
  WindowOptions window;
  window.seed = config.seed;
  window.batch_tokens = static_cast<std::size_t>(config.training.batch_tokens);
  window.window = static_cast<std::size_t>(config.training.window);
  Batcher batcher(
      PairEncoder(corpus, tokenizers,
                  {config.data.max_length, config.data.on_long, config.data.normalization, config.tokenizer.sampling}),
      window);

  using Clock = std::chrono::steady_clock;
  Clock::time_point start;
  UpdateRows rows;
  double last_loss = 0;
  for (int u = 1; u <= arguments.warmup + arguments.updates; ++u) {
    if (u == arguments.warmup + 1) {
      start = Clock::now();
      rows = {};
      Profile::start();
    }
    for (Index i = 0; i < config.training.accumulate; ++i) {
      const Batch batch = next_batch(batcher);
      step.accumulate(batch, u);
      rows.source_tokens += batch.source.tokens();
      rows.target_tokens += batch.target.tokens();
      rows.sentences += batch.count();
    }
    const TrainStep::Result result = step.finish(u, config.training.optimizer.learning_rate);
    if (!result.finite) throw std::runtime_error("update " + std::to_string(u) + ": the gradient is not finite");
    last_loss = result.sums.loss / static_cast<double>(result.sums.labels);
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const Profile::Seconds parts = Profile::seconds();
  const double speed = static_cast<double>(rows.target_tokens) / seconds;
  const double milliseconds = 1000 * seconds / arguments.updates;
  const double gflops = 1e-9 * update_flops(model.params(), rows) / seconds;
  nlohmann::ordered_json shares;
  double used = 0;
  for (std::size_t p = 1; p < parts.size(); ++p) {
    const double share = parts[p] / (seconds * threads);
    used += share;
    shares[std::string(kPartNames[p])] = share;
  }
  shares[std::string(kPartNames[0])] = std::max(0.0, 1 - used);
  if (arguments.json) {
    std::printf("%s\n", nlohmann::ordered_json{{"system", version_text()},
                                               {"threads", threads},
                                               {"params", model.params().count()},
                                               {"tgt_tok_s", speed},
                                               {"ms_per_update", milliseconds},
                                               {"updates", arguments.updates},
                                               {"last_loss", last_loss},
                                               {"gflops", gflops},
                                               {"peak_gflops", peak.gflops},
                                               {"share_of_peak", gflops / peak.gflops},
                                               {"vector_bits", peak.vector_bits},
                                               {"parts", shares},
                                               {"peak_rss_mb", peak_megabytes()}}
                            .dump()
                            .c_str());
    return;
  }
  std::printf("%.0f target tokens/s, %.1f ms an update (%d updates, %d threads, %zu parameters), peak memory %.0f MB\n",
              speed, milliseconds, arguments.updates, threads, model.params().count(), peak_megabytes());
  std::printf("%.1f GFLOP/s, %.0f %% of the %.1f that multiply-adds of %d bits reach here\n", gflops,
              100 * gflops / peak.gflops, peak.gflops, peak.vector_bits);
  for (const auto& [name, share] : shares.items()) {
    std::printf("  %-10s %5.1f %%\n", name.c_str(), 100 * share.get<double>());
  }
}

}  // namespace

void add_bench(CLI::App& app) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App* command = app.add_subcommand("bench", "Speed of whole training updates");
  command->add_option("config", arguments->config, "Configuration (YAML)")->required();
  command->add_option("--set", arguments->overrides, "Override a key: key.path=value (YAML); may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--updates", arguments->updates, "Updates measured");
  command->add_option("--warmup", arguments->warmup, "Updates before measuring");
  command->add_option("--threads", arguments->threads, "Threads (0: all cores)");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->callback([arguments] { bench(*arguments); });
}

}  // namespace dragoman
