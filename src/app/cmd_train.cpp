// dragoman train CONFIG.yaml
#include <CLI/CLI.hpp>
#include <filesystem>

#include "app/commands.h"
#include "app/fingerprint.h"
#include "app/threads.h"
#include "app/train_observer.h"
#include "app/version.h"
#include "config/config.h"
#include "core/error.h"
#include "core/parallel.h"
#include "io/atomic_file.h"
#include "train/model_file.h"
#include "train/trainer.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

struct TrainArguments {
  std::string config;
  std::vector<std::string> overrides;
  std::string model_dir;
  bool resume = false;
  bool overwrite = false;
  int threads = -1;
};

void make_absolute(std::vector<std::string>& paths) {
  for (std::string& path : paths) {
    if (!path.empty()) path = fs::absolute(path).lexically_normal().string();
  }
}

void make_absolute(Config& config) {
  for (ParallelFiles* files : {&config.data.train, &config.data.dev, &config.data.test}) {
    make_absolute(files->source);
    make_absolute(files->target);
    make_absolute(files->tsv);
  }
  for (std::string* path :
       {&config.tokenizer.model_file, &config.tokenizer.target_model_file, &config.training.init_from}) {
    if (!path->empty()) *path = fs::absolute(*path).lexically_normal().string();
  }
}

fs::path prepare_model_dir(const TrainArguments& arguments, const Config& config) {
  const fs::path dir =
      config.training.model_dir.empty() ? fs::path("models") / config.name : fs::path(config.training.model_dir);
  const bool used = fs::exists(dir / "train.log") || fs::exists(dir / "model.safetensors");
  if (used && !arguments.resume && !arguments.overwrite) {
    throw UserError(dir.string(), 0,
                    "holds a training already; --resume goes on with it, --overwrite replaces it, --model-dir or "
                    "training.model_dir puts the new one elsewhere");
  }
  if (arguments.resume && !fs::exists(dir / "checkpoints" / "latest")) {
    throw UserError(dir.string(), 0, "--resume: there is no checkpoint here; leave --resume out to start afresh");
  }
  std::error_code error;
  fs::create_directories(dir, error);
  if (error) throw UserError(dir.string(), 0, "cannot create the model directory: " + error.message());
  return dir;
}

/// Nothing of an earlier training may be taken for a part of the new one.
void remove_earlier_training(const fs::path& dir) {
  for (const char* name : {"model.safetensors", "config.yaml", "train.log", "metrics.jsonl", "timing.jsonl"}) {
    fs::remove(dir / name);
  }
  for (const char* name : {"tokenizer", "source", "target"}) {
    for (const char* extension : {".model", ".json"}) fs::remove(dir / (std::string(name) + extension));
  }
  fs::remove_all(dir / "checkpoints");
}

std::optional<Corpus> open_corpus(const ParallelFiles& files, bool tsv_header) {
  if (files.empty()) return std::nullopt;
  return std::make_optional<Corpus>(files, tsv_header);
}

void warn_about_threads(const Config& config, int threads, Observer& observer) {
  if (threads <= config.training.shards) return;
  observer.warning(std::to_string(threads) + " threads, but a batch is cut into " +
                   std::to_string(config.training.shards) + " shards: set training.shards to use all threads");
}

void train(const TrainArguments& arguments) {
  std::vector<std::string> overrides = arguments.overrides;
  if (!arguments.model_dir.empty()) overrides.push_back("training.model_dir=" + arguments.model_dir);
  Config config = load_config(arguments.config, overrides, Files::must_exist);
  if (arguments.threads >= 0) config.threads = arguments.threads;
  if (config.data.train.empty()) {
    throw UserError(arguments.config, 0, "data.train: nothing to train on; give source and target files, or tsv");
  }
  make_absolute(config);
  const int threads = use_threads(config.threads);
  const fs::path dir = prepare_model_dir(arguments, config);
  config.training.model_dir = fs::absolute(dir).lexically_normal().string();

  const std::optional<Corpus> train_corpus = open_corpus(config.data.train, config.data.tsv_header);
  const std::optional<Corpus> dev = open_corpus(config.data.dev, config.data.tsv_header);
  const std::optional<Corpus> test = open_corpus(config.data.test, config.data.tsv_header);
  remove_stale_temporaries(dir.string());
  if (!arguments.resume) remove_earlier_training(dir);
  TrainObserver observer(dir, arguments.resume);
  observer.info(version_text() + ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads"));
  warn_about_threads(config, threads, observer);

  TokenizerPair tokenizers;
  if (arguments.resume) {
    tokenizers = TokenizerPair::load(dir);
  } else {
    std::vector<std::string> warnings;
    tokenizers = train_tokenizers(config.tokenizer, *train_corpus, config.data.normalization, config.seed, &warnings);
    for (const std::string& warning : warnings) observer.warning(warning);
    tokenizers.save(dir);
    write_file_atomically((dir / "config.yaml").string(), emit_config(config));
  }
  const PairEncoder encoder(*train_corpus, tokenizers,
                            {config.data.max_length, config.data.on_long, config.data.normalization});
  observer.info("training data: " + examine(encoder).describe(*train_corpus));

  Seq2Seq model(config.model, static_cast<Index>(tokenizers.source->size()),
                static_cast<Index>(tokenizers.target->size()));
  model.params().initialize(config.seed);
  if (!arguments.resume && !config.training.init_from.empty()) {
    for (const std::string& missing : init_from_model(config.training.init_from, model.params())) {
      observer.warning("training.init_from: " + missing + " keeps its random start");
    }
  }
  observer.info("vocabulary " + std::to_string(tokenizers.source->size()) + " / " +
                std::to_string(tokenizers.target->size()) + ", " + std::to_string(model.params().count()) +
                " parameters");

  TrainingInput input;
  input.seed = config.seed;
  input.training = config.training;
  input.data = config.data;
  input.decoding = config.decoding;
  input.tokenizers = tokenizers;
  input.train = &*train_corpus;
  input.dev = dev ? &*dev : nullptr;
  input.test = test ? &*test : nullptr;
  input.model_dir = dir;
  input.fingerprint = training_fingerprint(config, *train_corpus, tokenizers);
  input.resume = arguments.resume;
  catch_stop_signals();
  Trainer trainer(model, std::move(input), observer);
  if (const int signal = trainer.run(); signal != 0) {
    observer.info("interrupted; the state is saved: the same command with --resume (and without --overwrite) goes on");
    throw Interrupted{signal};
  }
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
  command->add_option("--threads", arguments->threads, "Threads (0: all cores); overrides the key `threads`");
  command->callback([arguments] { train(*arguments); });
}

}  // namespace dragoman
