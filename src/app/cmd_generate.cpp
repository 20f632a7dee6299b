// dragoman generate: writes toy corpora with known right answers.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "app/commands.h"
#include "app/options.h"
#include "core/error.h"
#include "data/grammar.h"
#include "data/toy_tasks.h"
#include "io/output_file.h"

namespace dragoman {
namespace {

struct Options {
  std::string task;
  std::string directory;
  Index train = 20000;
  Index dev = 500;
  Index test = 500;
  std::uint64_t seed = 1;
  bool overwrite = false;
  std::optional<Index> symbols;
  std::optional<Index> min_length;
  std::optional<Index> max_length;
  std::optional<Index> test_max_length;
};

/// The folder, made if it is not there.
std::filesystem::path make_folder(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!error && !std::filesystem::is_directory(directory, error) && !error)
    error = std::make_error_code(std::errc::not_a_directory);
  if (error) throw UserError(directory + ": cannot make this folder: " + error.message());
  return directory;
}

/// A folder may hold something else under these names.
void refuse_to_replace(const Options& o) {
  if (o.overwrite) return;
  for (const char* part : {"train", "dev", "test"}) {
    for (const char* suffix : {"src", "trg", "en", "ko", "align", "coref"}) {
      const auto path = std::filesystem::path(o.directory) / (std::string(part) + "." + suffix);
      if (std::filesystem::exists(path)) throw UserError(path.string(), 0, "is there already; --overwrite replaces it");
    }
  }
}

/// Writes part.suffix, a line of each pair.
template <class Pair, class Line>
void write_lines(const std::filesystem::path& folder, const std::string& name, const std::vector<Pair>& pairs,
                 Line line) {
  std::string text;
  for (const Pair& pair : pairs) {
    text += line(pair);
    text += '\n';
  }
  OutputFile file((folder / name).string());
  file.write(text);
  file.finish();
}

void generate_grammar(const Options& o) {
  for (const auto& [name, value] : {std::pair{"--symbols", &o.symbols},
                                    {"--min-length", &o.min_length},
                                    {"--max-length", &o.max_length},
                                    {"--test-max-length", &o.test_max_length}})
    if (*value) throw UserError(std::string(name) + " does not apply to 'grammar': only to copy, reverse and sort");
  const GrammarCorpus corpus =
      make_grammar_corpus(Grammar::embedded(), {.train = o.train, .dev = o.dev, .test = o.test, .seed = o.seed});
  const auto folder = make_folder(o.directory);
  for (const auto& [part, pairs] : {std::pair{"train", &corpus.train}, {"dev", &corpus.dev}, {"test", &corpus.test}}) {
    const std::string stem = part;
    write_lines(folder, stem + ".en", *pairs, [](const GrammarPair& pair) { return pair.source; });
    write_lines(folder, stem + ".ko", *pairs, [](const GrammarPair& pair) { return pair.target; });
    write_lines(folder, stem + ".align", *pairs, [](const GrammarPair& pair) { return format_pairs(pair.alignment); });
    write_lines(folder, stem + ".coref", *pairs,
                [](const GrammarPair& pair) { return format_pairs(pair.antecedents); });
  }
}

void generate_numbers(const Options& o) {
  ToyOptions toy{.train = o.train, .dev = o.dev, .test = o.test, .seed = o.seed};
  toy.symbols = o.symbols.value_or(toy.symbols);
  toy.min_length = o.min_length.value_or(toy.min_length);
  toy.max_length = o.max_length.value_or(toy.max_length);
  toy.test_max_length = o.test_max_length.value_or(toy.max_length);
  const ToyCorpus corpus = make_toy_corpus(parse_toy_task(o.task), toy);
  const auto folder = make_folder(o.directory);
  for (const auto& [part, pairs] : {std::pair{"train", &corpus.train}, {"dev", &corpus.dev}, {"test", &corpus.test}}) {
    write_lines(folder, std::string(part) + ".src", *pairs, [](const ToyPair& pair) { return pair.source; });
    write_lines(folder, std::string(part) + ".trg", *pairs, [](const ToyPair& pair) { return pair.target; });
  }
}

void run(const Options& o) {
  if (o.task == "grammar")
    generate_grammar(o);
  else if (o.task == "copy" || o.task == "reverse" || o.task == "sort")
    generate_numbers(o);
  else
    throw UserError("generate: unknown task '" + o.task + "': expected copy, reverse, sort or grammar");
  std::cout << o.directory << ": " << o.train << " train, " << o.dev << " dev and " << o.test << " test pairs of "
            << o.task << std::endl;
}

}  // namespace

void add_generate(CLI::App& app) {
  auto* command = app.add_subcommand("generate", "Write a toy corpus whose right answers are known");
  const auto options = std::make_shared<Options>();
  const ToyOptions toy;
  const auto or_default = [](Index value) { return " (copy, reverse, sort; default " + std::to_string(value) + ")"; };
  command->add_option("task", options->task, "copy, reverse or sort (of numerals), or grammar (English to Korean)")
      ->required();
  command->add_option("-o,--output", options->directory, "Folder for train, dev and test")->required();
  const auto number = [&](const std::string& name, auto& value, const std::string& help) {
    add_value(*command, name, value, anything(), help);
  };
  number("--train", options->train, "Training pairs");
  number("--dev", options->dev, "Development pairs");
  number("--test", options->test, "Test pairs");
  add_value(*command, "--seed", options->seed, allowed_of("seed"), "Seed; the same seed, the same corpus");
  number("--symbols", options->symbols, "Number of different words" + or_default(toy.symbols));
  number("--min-length", options->min_length, "Fewest words" + or_default(toy.min_length));
  number("--max-length", options->max_length, "Most words of a training sentence" + or_default(toy.max_length));
  number("--test-max-length", options->test_max_length,
         "Most words of a dev or test sentence (copy, reverse, sort; default: --max-length)");
  command->add_flag("--overwrite", options->overwrite, "Replace files that are there already");
  command->callback([options] {
    refuse_to_replace(*options);
    run(*options);
  });
}

}  // namespace dragoman
