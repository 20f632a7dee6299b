// dragoman train CONFIG.yaml
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/commands.h"
#include "app/directory_lock.h"
#include "app/model_directory.h"
#include "app/options.h"
#include "app/resume.h"
#include "app/start_model.h"
#include "app/threads.h"
#include "app/train_observer.h"
#include "app/training_setup.h"
#include "app/version.h"
#include "config/config.h"
#include "core/error.h"
#include "core/memory_use.h"
#include "core/utf8.h"
#include "io/atomic_file.h"
#include "train/trainer.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

struct TrainArguments {
  std::string config;
  std::vector<std::string> overrides;
  std::string model_dir;
  bool resume = false;
  std::string resume_from;  // update, newest; empty: the latest
  bool overwrite = false;
  bool dry_run = false;
  std::optional<int> threads;
};

/// The path from the root. No more: what "link/.." is only the system knows. UserError: config.yaml, which is YAML,
/// could not hold it, and the model would be trained to its end and not load.
void absolute(std::string& path) {
  if (path.empty()) return;
  path = fs::absolute(path).string();
  const bool control = std::any_of(path.begin(), path.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (!control && first_invalid(path) == std::string::npos) return;
  throw UserError(replace_invalid(path), 0,
                  std::string("this path has ") + (control ? "a control character" : "bytes that are not UTF-8") +
                      ", which the model's config.yaml can't hold; rename the file or folder");
}

void make_absolute(Config& config) {
  for (ParallelFiles* files : {&config.data.train, &config.data.dev, &config.data.test}) {
    for (auto* list : {&files->source, &files->target, &files->tsv})
      std::for_each(list->begin(), list->end(), absolute);
  }
  for (std::string* path : {&config.tokenizer.model_file, &config.tokenizer.target_model_file,
                            &config.training.init_from, &config.training.model_dir}) {
    absolute(*path);
  }
}

/// All files that a new training reads.
std::vector<std::string> inputs(const TrainArguments& arguments, const Config& config) {
  std::vector<std::string> files = {arguments.config, config.tokenizer.model_file, config.tokenizer.target_model_file};
  if (!config.training.init_from.empty()) files.push_back(start_weights(config.training.init_from).string());
  for (const ParallelFiles* side : {&config.data.train, &config.data.dev, &config.data.test}) {
    for (const auto* list : {&side->source, &side->target, &side->tsv}) {
      files.insert(files.end(), list->begin(), list->end());
    }
  }
  return files;
}

/// Is `input` that file, or in that folder? (One that doesn't exist is not.)
bool is_or_holds(const fs::path& place, const fs::path& input) {
  std::error_code error;
  if (fs::equivalent(place, input, error)) return true;
  const fs::path whole = fs::canonical(input, error);
  return !error && whole.string().starts_with(fs::canonical(place).string() + "/");
}

/// May this new training write into the model directory?
void check_model_dir(const TrainArguments& arguments, const Config& config, const fs::path& dir) {
  const std::vector<std::string> read = inputs(arguments, config);
  for (const fs::path& file : training_files(dir)) {
    if (!fs::exists(file)) continue;
    for (const std::string& input : read) {
      if (!is_or_holds(file, input)) continue;
      throw UserError(input, 0,
                      "is in the model directory, where this training would remove or replace it; use another "
                      "--model-dir, or a copy of the file elsewhere");
    }
    if (arguments.overwrite) continue;
    throw UserError(dir.string(), 0,
                    "holds a training already (" + file.filename().string() + "); " +
                        (fs::exists(dir / "checkpoints") ? "--resume goes on with it, " : "") +
                        "--overwrite replaces it, --model-dir or training.model_dir puts "
                        "the new one elsewhere");
  }
}

Config read_config(const TrainArguments& arguments, std::vector<std::string>& warnings) {
  Config config = arguments.resume
                      ? load_resumed_config(arguments.config, arguments.overrides, arguments.model_dir, &warnings)
                      : load_config(arguments.config, arguments.overrides, Files::must_exist, &warnings);
  if (!arguments.model_dir.empty()) config.training.model_dir = arguments.model_dir;
  config.training.model_dir = model_dir_of(config);
  if (arguments.threads) config.threads = *arguments.threads;
  make_absolute(config);
  return config;
}

/// Removes what interrupted writers left and, unless it goes on, the training before; stores the tokenizers.
void prepare_model_dir(const TrainArguments& arguments, const Config& config, const TokenizerPair& tokenizers) {
  const fs::path dir = config.training.model_dir;
  for (const fs::path& folder : {dir, dir / "checkpoints", dir / "diverged"}) {
    remove_stale_temporaries(folder.string());  // a folder that is absent has none
  }
  if (!arguments.resume) {
    for (const fs::path& file : training_files(dir)) remove_whole(file.string());
    tokenizers.save(dir);
  }
}

void run(const TrainArguments& arguments, const Config& config, TrainingSetup& setup, const DirectoryLock& lock,
         int threads) {
  const fs::path dir = config.training.model_dir;
  TrainObserver observer(dir, arguments.resume, config.training.label_smoothing > 0, lock);
  observer.info(version_text() + ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads"));
  for (const std::string& warning : setup.warnings) observer.warning(warning);
  for (const std::string& info : setup.infos) observer.info(info);

  TrainingInput input;
  input.seed = config.seed;
  input.training = config.training;
  input.data = config.data;
  input.decoding = config.decoding;
  input.train = &setup.encoder;
  input.dev = setup.dev_or_null();
  input.test = setup.test_or_null();
  input.model_dir = dir;
  input.fingerprint = setup.fingerprint;
  input.resume = arguments.resume;
  catch_stop_signals();
  Trainer trainer(setup.model, std::move(input), observer);
  // A resumed training may have other limits or decoding settings: translate uses the latest.
  lock.check();
  write_file_atomically((dir / "config.yaml").string(), emit_config(config));
  if (const int signal = trainer.run(); signal != 0) {
    observer.info("interrupted; the state is saved: the same command with --resume (and without --overwrite) goes on");
    throw Interrupted{signal};
  }
  observer.info("peak memory " + std::to_string(std::llround(peak_megabytes())) + " MB");
  observer.info("done: " + dir.string());
}

void train(const TrainArguments& arguments) {
  give_memory_back();
  std::vector<std::string> warnings;
  const Config config = read_config(arguments, warnings);
  const int threads = use_threads(config.threads);
  const fs::path dir = config.training.model_dir;
  check_writable(dir);
  std::optional<TrainingState> resumed;
  if (arguments.resume) {
    resumed = state_to_resume(dir, arguments.resume_from);
  } else {
    check_model_dir(arguments, config, dir);
  }
  if (fs::exists(dir / "lock")) const DirectoryLock probe(dir);  // before long work for nothing

  // Everything that can be wrong with the input comes before anything is written or removed.
  TrainingSetup setup(config, resumed ? &*resumed : nullptr, threads);
  setup.warnings.insert(setup.warnings.begin(), warnings.begin(), warnings.end());
  if (arguments.dry_run) {
    for (const std::string& warning : setup.warnings) std::printf("warning: %s\n", warning.c_str());
    for (const std::string& info : setup.infos) std::printf("%s\n", info.c_str());
    return;
  }

  make_folder(dir.string());
  const DirectoryLock lock(dir);
  // Again: another training may have been quicker.
  if (!resumed) {
    check_model_dir(arguments, config, dir);
  } else {
    take_up(dir, arguments.resume_from, *resumed);
  }
  prepare_model_dir(arguments, config, setup.tokenizers);
  try {
    run(arguments, config, setup, lock, threads);
  } catch (const UserError&) {
    lock.check();  // when that is why
    throw;
  }
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
  CLI::Option* resume_from =
      command->add_option("--resume-from", arguments->resume_from,
                          "Go on from the checkpoint of this update, or from the newest one that is whole; later ones "
                          "are removed by the next save");
  resume_from->type_name("UPDATE|newest")->excludes(resume);
  command->add_flag("--overwrite", arguments->overwrite, "Replace a training in the model directory")
      ->excludes(resume)
      ->excludes(resume_from);
  command->add_flag("--dry-run", arguments->dry_run, "Check everything, report on data and memory, and stop");
  add_value(*command, "--threads", arguments->threads, allowed_of("threads"),
            std::string(kThreadsHelp) + "; overrides the key `threads`");
  command->callback([arguments, resume_from] {
    if (resume_from->count() > 0) {
      arguments->resume = true;
      if (arguments->resume_from.empty()) throw UserError("--resume-from: expected an update, or newest");
    }
    train(*arguments);
  });
}

}  // namespace dragoman
