// dragoman config: checks a configuration and prints it, or prints the documentation of all keys.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/commands.h"
#include "config/config.h"
#include "core/error.h"

namespace dragoman {
namespace {

struct Options {
  std::string path;
  std::vector<std::string> overrides;
  bool full = false;
  bool reference = false;
  bool markdown = false;
};

std::string answer(const Options& options) {
  if (options.reference) return reference_yaml();
  if (options.markdown) return configuration_markdown();
  if (options.path.empty()) throw UserError("config: expected a CONFIG.yaml, --reference or --markdown; see --help");
  std::vector<std::string> warnings;
  const Config config = load_config(options.path, options.overrides, Files::may_be_missing, &warnings);
  for (const std::string& warning : warnings) std::fprintf(stderr, "dragoman: warning: %s\n", warning.c_str());
  return options.full ? emit_config(config) : emit_changes(config);
}

}  // namespace

void add_config(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("config", "Check a configuration and print what differs from the defaults");
  CLI::Option* path = command->add_option("CONFIG", options->path, "Configuration file (YAML)");
  command->add_option("--set", options->overrides, "Override a key: key.path=value (YAML); may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  CLI::Option* full = command->add_flag("--full", options->full, "Print every key, not only what differs");
  CLI::Option* reference =
      command->add_flag("--reference", options->reference, "Print configs/reference.yaml: every key with its default");
  CLI::Option* markdown = command->add_flag("--markdown", options->markdown, "Print docs/configuration.md");
  for (CLI::Option* page : {reference, markdown}) page->excludes(path)->excludes(full);
  reference->excludes(markdown);
  command->callback([options] { std::cout << answer(*options); });
}

}  // namespace dragoman
