// dragoman train CONFIG.yaml
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/commands.h"
#include "app/cpu.h"
#include "app/directory_lock.h"
#include "app/fingerprint.h"
#include "app/memory_use.h"
#include "app/model_directory.h"
#include "app/threads.h"
#include "app/train_observer.h"
#include "app/version.h"
#include "config/config.h"
#include "core/error.h"
#include "core/parallel.h"
#include "data/data_examiner.h"
#include "io/atomic_file.h"
#include "train/memory.h"
#include "train/model_file.h"
#include "train/trainer.h"
#include "translate/scorer.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

struct TrainArguments {
  std::string config;
  std::vector<std::string> overrides;
  std::string model_dir;
  bool resume = false;
  bool overwrite = false;
  bool dry_run = false;
  std::optional<int> threads;
};

void make_absolute(Config& config) {
  const auto absolute = [](std::string& path) {
    if (!path.empty()) path = fs::absolute(path).lexically_normal().string();
  };
  for (ParallelFiles* files : {&config.data.train, &config.data.dev, &config.data.test}) {
    for (auto* list : {&files->source, &files->target, &files->tsv})
      std::for_each(list->begin(), list->end(), absolute);
  }
  for (std::string* path : {&config.tokenizer.model_file, &config.tokenizer.target_model_file,
                            &config.training.init_from, &config.training.model_dir}) {
    absolute(*path);
  }
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;  // one that doesn't exist is not the same
  return fs::equivalent(a, b, ignored);
}

/// May this training write into the model directory?
void check_model_dir(const TrainArguments& arguments, const Config& config, const fs::path& dir) {
  if (arguments.resume) {
    if (fs::exists(dir / "checkpoints" / "latest")) return;
    if (!fs::exists(dir)) throw UserError(dir.string(), 0, "--resume: there is no such folder, so no checkpoint");
    throw UserError(dir.string(), 0, "--resume: there is no checkpoint here; --overwrite starts afresh");
  }
  const std::string start = fs::weakly_canonical(config.training.init_from).string();
  if (!start.empty() && start.starts_with(fs::weakly_canonical(dir / "checkpoints").string() + "/")) {
    throw UserError(
        config.training.init_from, 0,
        "is a checkpoint of the model directory, which this training would remove; use another --model-dir");
  }
  for (const fs::path& file : training_files(dir)) {
    if (!fs::exists(file)) continue;
    for (const std::string& input : {arguments.config, config.tokenizer.model_file, config.tokenizer.target_model_file,
                                     config.training.init_from}) {
      if (input.empty() || !same_file(file, input)) continue;
      throw UserError(input, 0,
                      "is in the model directory, where this training would replace it; use another "
                      "--model-dir, or a copy of the file elsewhere");
    }
    if (arguments.overwrite) continue;
    throw UserError(dir.string(), 0,
                    "holds a training already (" + file.filename().string() + "); " +
                        (fs::exists(dir / "checkpoints" / "latest") ? "--resume goes on with it, " : "") +
                        "--overwrite replaces it, --model-dir or training.model_dir puts "
                        "the new one elsewhere");
  }
}

std::optional<Corpus> open_corpus(const ParallelFiles& files, bool tsv_header) {
  if (files.empty()) return std::nullopt;
  return std::make_optional<Corpus>(files, tsv_header);
}

/// Development and test lines are never dropped, so a model with learned positions must take them all.
void check_position_limits(const Seq2Seq& model, const PairEncoder& train, const std::optional<Corpus>& corpus,
                           const std::string& normalization) {
  if (!corpus || (model.max_source_tokens() == kNoLimit && model.max_target_tokens() == kNoLimit)) return;
  const PairEncoder encoder(*corpus, train.tokenizers(), {.normalization = normalization}, 0);
  check_lengths(model, encode_all(encoder, 1), *corpus, kNoLimit);
}

/// The estimate in words. The process holds the program, the text and the model's values by now.
std::string describe(const MemoryEstimate& estimate, const Seq2Seq& model) {
  const auto megabytes = [](double x) { return std::to_string(std::llround(x)); };
  const auto part = [&](std::size_t bytes) { return megabytes(1e-6 * static_cast<double>(bytes)); };
  const double values = 1e-6 * static_cast<double>(model.params().size() * sizeof(Real));
  const double text = current_megabytes() - values;
  const double all = text + 1e-6 * static_cast<double>(estimate.total());
  const double before = peak_megabytes();
  return "memory: about " + megabytes(std::max(all, before)) + " MB" +
         (before > all ? " (so much it was while the text was prepared), then " + megabytes(all) : "") + " (" +
         megabytes(text) + " program and text, " + part(estimate.parameters) +
         " parameters with moments and gradients, " + part(estimate.packed) + " packed weights, " +
         part(estimate.activations) + " activations, " + part(estimate.validation) + " validation, " +
         part(estimate.batches) + " batches)";
}

Config read_config(const TrainArguments& arguments) {
  Config config = load_config(arguments.config, arguments.overrides, Files::must_exist);
  if (!arguments.model_dir.empty()) config.training.model_dir = arguments.model_dir;
  if (config.training.model_dir.empty()) config.training.model_dir = (fs::path("models") / config.name).string();
  if (arguments.threads) config.threads = *arguments.threads;
  make_absolute(config);
  return config;
}

/// What is said before the first update.
struct Remarks {
  std::vector<std::string> warnings, infos;
};

void refuse_if_too_large(double megabytes, const char* what) {
  const double free = available_megabytes();
  if (megabytes <= free) return;
  throw UserError(
      std::string("memory: ") + what + " would need about " + std::to_string(std::llround(megabytes)) + " MB, but " +
      std::to_string(std::llround(free)) +
      " MB are free; a smaller model or vocabulary, fewer training.shards, smaller training.batch_tokens or "
      "training.piece_tokens need less");
}

void train(const TrainArguments& arguments) {
  give_memory_back();
  const Config config = read_config(arguments);
  const int threads = use_threads(config.threads);
  const fs::path dir = config.training.model_dir;
  check_writable(dir);
  check_model_dir(arguments, config, dir);

  // Everything that can be wrong with the input comes before anything is written or removed.
  Remarks remarks;
  if (threads > config.training.shards) {
    remarks.warnings.push_back(std::to_string(threads) + " threads, but a batch is cut into " +
                               std::to_string(config.training.shards) +
                               " shards: set training.shards to use all threads");
  }
  for (const std::string& warning : {emulation_warning("training.precision", config.training.precision),
                                     emulation_warning("decoding.precision", config.decoding.precision)}) {
    if (!warning.empty()) remarks.warnings.push_back(warning);
  }
  const std::optional<Corpus> train_corpus = open_corpus(config.data.train, config.data.tsv_header);
  const std::optional<Corpus> dev = open_corpus(config.data.dev, config.data.tsv_header);
  const std::optional<Corpus> test = open_corpus(config.data.test, config.data.tsv_header);
  const TokenizerPair tokenizers = arguments.resume
                                       ? TokenizerPair::load(dir)
                                       : train_tokenizers(config.tokenizer, *train_corpus, config.data.normalization,
                                                          config.seed, &remarks.warnings);
  const Fingerprint fingerprint = training_fingerprint(config, *train_corpus, dev ? &*dev : nullptr, tokenizers);
  if (arguments.resume) check_resumable(dir, fingerprint, config);
  const PairEncoder encoder(
      *train_corpus, tokenizers,
      {config.data.max_length, config.data.on_long, config.data.normalization, config.tokenizer.sampling});
  if (const std::size_t bytes = train_corpus->temporary_bytes(); bytes > 0) {
    remarks.infos.push_back("training data: gzip files (or pipes) are unpacked into temporary files of " +
                            std::to_string((bytes + 999'999) / 1'000'000) + " MB in " +
                            fs::temp_directory_path().string());
  }
  const DataReport report = examine(encoder, dev ? &*dev : nullptr, test ? &*test : nullptr);
  for (std::string& line : report.lines()) remarks.infos.push_back(std::move(line));
  for (std::string& warning : report.warnings()) remarks.warnings.push_back(std::move(warning));
  Seq2Seq model(config.model, static_cast<Index>(tokenizers.source->size()),
                static_cast<Index>(tokenizers.target->size()));
  check_position_limits(model, encoder, dev, config.data.normalization);
  check_position_limits(model, encoder, test, config.data.normalization);
  remarks.infos.push_back("vocabulary " + std::to_string(tokenizers.source->size()) + " / " +
                          std::to_string(tokenizers.target->size()) + ", " + std::to_string(model.params().count()) +
                          " parameters");
  give_memory_back();  // what training the tokenizer took
  const bool validates = dev || test;
  refuse_if_too_large(1e-6 * static_cast<double>(estimate_weights(model, config.training, validates).total()),
                      "the parameters with their gradients and moments");
  model.params().initialize(config.seed);
  if (!arguments.resume && !config.training.init_from.empty()) {
    for (const std::string& missing : init_from_model(config.training.init_from, model.params())) {
      remarks.warnings.push_back("training.init_from: " + missing + " keeps its random start");
    }
  }
  const MemoryEstimate memory = estimate_memory(model, encoder, config.training, config.decoding, dev ? &*dev : nullptr,
                                                test ? &*test : nullptr, threads);
  const auto values = static_cast<double>(model.params().size() * sizeof(Real));  // there already
  refuse_if_too_large(1e-6 * (static_cast<double>(memory.total()) - values), "this training");
  remarks.infos.push_back(describe(memory, model));
  if (arguments.dry_run) {
    for (const std::string& warning : remarks.warnings) std::printf("warning: %s\n", warning.c_str());
    for (const std::string& info : remarks.infos) std::printf("%s\n", info.c_str());
    return;
  }

  make_folder(dir.string());
  const DirectoryLock lock(dir);
  check_model_dir(arguments, config, dir);  // again: another training may have been quicker
  for (const fs::path& folder : {dir, dir / "checkpoints", dir / "diverged"}) {
    remove_stale_temporaries(folder.string());  // a folder that is absent has none
  }
  if (!arguments.resume) {
    for (const fs::path& file : training_files(dir)) remove_whole(file.string());
    tokenizers.save(dir);
  }
  // A resumed training may have other limits or decoding settings: translate uses the latest.
  write_file_atomically((dir / "config.yaml").string(), emit_config(config));
  TrainObserver observer(dir, arguments.resume);
  observer.info(version_text() + ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads"));
  for (const std::string& warning : remarks.warnings) observer.warning(warning);
  for (const std::string& info : remarks.infos) observer.info(info);

  TrainingInput input;
  input.seed = config.seed;
  input.training = config.training;
  input.data = config.data;
  input.decoding = config.decoding;
  input.train = &encoder;
  input.dev = dev ? &*dev : nullptr;
  input.test = test ? &*test : nullptr;
  input.model_dir = dir;
  input.fingerprint = fingerprint;
  input.resume = arguments.resume;
  catch_stop_signals();
  Trainer trainer(model, std::move(input), observer);
  if (const int signal = trainer.run(); signal != 0) {
    observer.info("interrupted; the state is saved: the same command with --resume (and without --overwrite) goes on");
    throw Interrupted{signal};
  }
  observer.info("peak memory " + std::to_string(std::llround(peak_megabytes())) + " MB");
  observer.info("done: " + dir.string());
}

}  // namespace

void add_train(CLI::App& app) {
  auto arguments = std::make_shared<TrainArguments>();
  CLI::App* command = app.add_subcommand("train", "Train a model from a configuration file");
  command->add_option("config", arguments->config, "Configuration (YAML)")->required();
  command->add_option("--set", arguments->overrides, "Override a key: key.path=value (YAML); may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--model-dir", arguments->model_dir, "Where the model goes (default models/NAME)");
  CLI::Option* resume = command->add_flag("--resume", arguments->resume, "Go on from the last checkpoint");
  command->add_flag("--overwrite", arguments->overwrite, "Replace a training in the model directory")->excludes(resume);
  command->add_flag("--dry-run", arguments->dry_run, "Check everything, report on data and memory, and stop");
  command->add_option("--threads", arguments->threads, "Threads (0: all cores); overrides the key `threads`");
  command->callback([arguments] { train(*arguments); });
}

}  // namespace dragoman
