// dragoman bench CONFIG.yaml: speed of whole updates, or of decoding, on the configuration's own data.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "app/commands.h"
#include "app/cpu.h"
#include "app/options.h"
#include "app/threads.h"
#include "app/version.h"
#include "config/config.h"
#include "core/error.h"
#include "core/memory_use.h"
#include "core/profile.h"
#include "data/batcher.h"
#include "data/text_check.h"
#include "kernels/fma_peak.h"
#include "train/flops.h"
#include "train/step.h"
#include "translate/translator.h"

namespace dragoman {
namespace {

struct BenchArguments {
  std::string config;
  std::vector<std::string> overrides;
  int updates = 60;
  int warmup = 10;
  std::optional<int> threads;
  bool json = false;
  bool decode = false;
  std::string sources;
  Index beam_size = 5;
  Index length = 14;
};

Batch next_batch(Batcher& batcher) {
  const Profile::Scope scope(Part::data);
  return batcher.next().batch;
}

/// Translates all lines once to warm up, then several times; random weights will do, since the length is forced.
void bench_decoding(const BenchArguments& arguments, const Config& config, const Seq2Seq& model,
                    const TokenizerPair& tokenizers, int threads) {
  const std::vector<std::string> lines = read_text(arguments.sources);
  if (lines.empty()) throw UserError(arguments.sources, 0, "holds no lines to decode");
  if (arguments.length > model.max_target_tokens()) {
    throw UserError("--length: found " + std::to_string(arguments.length) + ", expected at most " +
                    std::to_string(model.max_target_tokens()) + " (model.decoder.max_positions)");
  }
  DecodeOptions options = config.decoding;
  options.beam_size = arguments.beam_size;
  options.min_length = options.max_length_extra = arguments.length - 1;
  options.max_length_factor = 0;
  const Translator translator(model, tokenizers, options, config.data.normalization);
  std::vector<double> speeds;
  for (int run = 0; run < 4; ++run) {
    const auto start = std::chrono::steady_clock::now();
    Index tokens = 0;
    for (const auto& translations : translator.translate(lines)) {
      const auto pieces = static_cast<Index>(translations.at(0).target.size());
      if (pieces > 0) tokens += pieces + 1;  // a blank line is not decoded
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (run > 0) speeds.push_back(static_cast<double>(tokens) / seconds);
  }
  std::sort(speeds.begin(), speeds.end());
  const double speed = speeds[speeds.size() / 2];
  if (arguments.json) {
    std::printf("%s\n", nlohmann::ordered_json{{"system", version_text()},
                                               {"threads", threads},
                                               {"precision", config.decoding.precision},
                                               {"params", model.params().count()},
                                               {"beam_size", arguments.beam_size},
                                               {"lines", lines.size()},
                                               {"length", arguments.length},
                                               {"tgt_tok_s", speed},
                                               {"peak_rss_mb", peak_megabytes()}}
                            .dump()
                            .c_str());
    return;
  }
  std::printf("%.0f target tokens/s (%zu lines, %lld tokens each, beam %lld, %d threads), peak memory %.0f MB\n", speed,
              lines.size(), static_cast<long long>(arguments.length), static_cast<long long>(arguments.beam_size),
              threads, peak_megabytes());
}

/// What the measured updates took.
struct TrainingRun {
  double seconds = 0;
  UpdateRows rows;
  Profile::Seconds parts{};
  double last_loss = 0;
};

TrainingRun run_updates(const BenchArguments& arguments, const Config& config, TrainStep& step, Batcher& batcher) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start;
  TrainingRun run;
  for (int u = 1; u <= arguments.warmup + arguments.updates; ++u) {
    if (u == arguments.warmup + 1) {
      start = Clock::now();
      run.rows = {};
      Profile::start();
    }
    for (Index i = 0; i < config.training.accumulate; ++i) {
      const Batch batch = next_batch(batcher);
      step.accumulate(batch, u);
      run.rows.source_tokens += batch.source.tokens();
      run.rows.target_tokens += batch.target.tokens();
      run.rows.sentences += batch.count();
    }
    const TrainStep::Result result = step.finish(u, config.training.optimizer.learning_rate);
    if (!result.problem.empty()) {
      throw std::runtime_error("update " + std::to_string(u) + ": " + result.problem + " is not finite");
    }
    run.last_loss = result.sums.loss / static_cast<double>(result.sums.labels);
  }
  run.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  run.parts = Profile::seconds();
  return run;
}

/// Shares of the parts of an update; the first is what none of the others is.
nlohmann::ordered_json shares_of(const TrainingRun& run, int threads) {
  nlohmann::ordered_json shares;
  double used = 0;
  for (std::size_t p = 1; p < run.parts.size(); ++p) {
    const double share = run.parts[p] / (run.seconds * threads);
    used += share;
    shares[std::string(kPartNames[p])] = share;
  }
  shares[std::string(kPartNames[0])] = std::max(0.0, 1 - used);
  return shares;
}

void print_training(const BenchArguments& arguments, const Config& config, const Seq2Seq& model, const TrainingRun& run,
                    const FmaPeak& peak, int threads) {
  const double speed = static_cast<double>(run.rows.target_tokens) / run.seconds;
  const double milliseconds = 1000 * run.seconds / arguments.updates;
  const double gflops = 1e-9 * update_flops(model.params(), run.rows) / run.seconds;
  const nlohmann::ordered_json shares = shares_of(run, threads);
  if (arguments.json) {
    std::printf("%s\n", nlohmann::ordered_json{{"system", version_text()},
                                               {"threads", threads},
                                               {"precision", config.training.precision},
                                               {"params", model.params().count()},
                                               {"tgt_tok_s", speed},
                                               {"ms_per_update", milliseconds},
                                               {"updates", arguments.updates},
                                               {"last_loss", run.last_loss},
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
  std::printf("%.1f GFLOP/s, %.0f %% of the %.1f that float32 multiply-adds of %d bits reach here\n", gflops,
              100 * gflops / peak.gflops, peak.gflops, peak.vector_bits);
  for (const auto& [name, share] : shares.items()) {
    std::printf("  %-10s %5.1f %%\n", name.c_str(), 100 * share.get<double>());
  }
}

void bench(const BenchArguments& arguments) {
  if (!arguments.decode) give_memory_back();  // as train does
  const Config config = load_config(arguments.config, arguments.overrides, Files::must_exist);
  if (arguments.decode && arguments.sources.empty()) {
    throw UserError("--decode: needs the text to decode, --sources FILE");
  }
  const int threads = use_threads(arguments.threads.value_or(config.threads));
  const std::string& precision = arguments.decode ? config.decoding.precision : config.training.precision;
  if (const std::string warning = emulation_warning("precision", precision); !warning.empty()) {
    std::fprintf(stderr, "dragoman: warning: %s\n", warning.c_str());
  }
  const FmaPeak peak = measure_fma_peak();  // before the batcher's thread begins to work
  const Corpus corpus(config.data.train, config.data.tsv_header);
  const TokenizerPair tokenizers =
      train_tokenizers(config.tokenizer, corpus, config.data.normalization, config.seed, nullptr);
  Seq2Seq model(config.model, static_cast<Index>(tokenizers.source->size()),
                static_cast<Index>(tokenizers.target->size()));
  model.params().initialize(config.seed);
  if (arguments.decode) return bench_decoding(arguments, config, model, tokenizers, threads);
  TrainStep step(model, config.training, config.seed);
  WindowOptions window;
  window.seed = config.seed;
  window.batch_tokens = static_cast<std::size_t>(config.training.batch_tokens);
  window.window = static_cast<std::size_t>(config.training.window);
  Batcher batcher(
      PairEncoder(corpus, tokenizers,
                  {config.data.max_length, config.data.on_long, config.data.normalization, config.tokenizer.sampling}),
      window);
  print_training(arguments, config, model, run_updates(arguments, config, step, batcher), peak, threads);
}

}  // namespace

void add_bench(CLI::App& app) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App* command = app.add_subcommand("bench", "Speed of whole training updates, or of decoding");
  command->add_option("config", arguments->config, "Configuration (YAML)")->required();
  command->add_option("--set", arguments->overrides, "Override a key: key.path=value (YAML); may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  auto* updates = add_value(*command, "--updates", arguments->updates, between(1, 1'000'000), "Updates measured");
  auto* warmup = add_value(*command, "--warmup", arguments->warmup, between(0, 1'000'000), "Updates before measuring");
  add_value(*command, "--threads", arguments->threads, allowed_of("threads"), kThreadsHelp);
  auto* decode = command->add_flag("--decode", arguments->decode, "Measure decoding with random weights, not updates")
                     ->excludes(updates)
                     ->excludes(warmup);
  command->add_option("--sources", arguments->sources, "Text that --decode translates")
      ->type_name("FILE")
      ->needs(decode);
  add_value(*command, "--beam-size", arguments->beam_size, allowed_of("decoding.beam_size"),
            "Hypotheses a sentence (1: greedy)")
      ->needs(decode);
  add_value(*command, "--length", arguments->length, between(1, 1'000'000),
            "Tokens, eos included, that each translation is made to have")
      ->needs(decode);
  command->add_flag("--json", arguments->json, "Print JSON");
  command->callback([arguments] { bench(*arguments); });
}

}  // namespace dragoman
