// dragoman evaluate MODEL_DIR --source F --reference F...
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/decoding_arguments.h"
#include "app/loaded_model.h"
#include "app/options.h"
#include "app/threads.h"
#include "core/error.h"
#include "data/clean.h"
#include "data/text_check.h"
#include "io/line_reader.h"
#include "metrics/accuracy.h"
#include "metrics/bleu.h"
#include "translate/translator.h"

namespace dragoman {
namespace {

struct EvaluateArguments {
  std::string model, source;
  std::vector<std::string> references;
  std::string tokenize = "13a";
  bool lowercase = false;
  bool json = false;
  int threads = 0;
  DecodingArguments decoding;
};

/// Cleaned as training text is: the model has learnt to write that.
std::vector<std::string> read_reference(const std::string& path, const std::string& normalization) {
  std::vector<std::string> lines = read_text(path);
  for (std::string& line : lines) line = normalize_text(line, normalization);
  return lines;
}

void evaluate(const EvaluateArguments& arguments) {
  use_threads(arguments.threads);
  const BleuTokenizer tokenizer = parse_bleu_tokenizer(arguments.tokenize);
  LoadedModel loaded = load_model_directory(arguments.model);
  const std::vector<std::string> sources = read_lines(arguments.source);
  check_beginning(arguments.source, sources);
  std::vector<std::vector<std::string>> references;
  for (const std::string& path : arguments.references) {
    references.push_back(read_reference(path, loaded.config.data.normalization));
    if (references.back().size() == sources.size()) continue;
    throw UserError(path + ": " + std::to_string(references.back().size()) + " lines against " +
                    std::to_string(sources.size()) + " in " + arguments.source +
                    "; line n of both must belong together");
  }
  if (sources.empty()) throw UserError(arguments.source, 0, "is empty: nothing to evaluate");

  const DecodeOptions options = arguments.decoding.apply(loaded.config);
  const Translator translator(*loaded.model, loaded.tokenizers, options, loaded.config.data.normalization);
  LineRemarks remarks;
  std::vector<std::string> hypotheses;
  for (const auto& translations : translator.translate(sources, 1, &remarks)) {
    hypotheses.push_back(translations.front().text);
  }
  for (const std::string& sentence : translator.describe(remarks)) {
    std::fprintf(stderr, "dragoman: warning: %s\n", sentence.c_str());
  }
  BleuOptions bleu_options;
  bleu_options.tokenizer = tokenizer;
  bleu_options.lowercase = arguments.lowercase;
  const BleuScore bleu = corpus_bleu(hypotheses, references, bleu_options);
  SequenceAccuracy exact;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const auto match = std::find_if(references.begin(), references.end(),
                                    [&](const auto& reference) { return reference[i] == hypotheses[i]; });
    exact.add(hypotheses[i], match == references.end() ? references.front()[i] : (*match)[i]);
  }
  const std::string signature = Bleu(bleu_options).signature(references.size());
  if (arguments.json) {
    std::printf("%s\n", nlohmann::ordered_json{{"bleu", bleu.score},
                                               {"signature", signature},
                                               {"sequence_accuracy", exact.value()},
                                               {"lines", hypotheses.size()}}
                            .dump()
                            .c_str());
  } else {
    std::printf("BLEU|%s = %.2f %s\nsequence_accuracy = %.4f\n", signature.c_str(), bleu.score, bleu.details().c_str(),
                exact.value());
  }
}

}  // namespace

void add_evaluate(CLI::App& app) {
  auto arguments = std::make_shared<EvaluateArguments>();
  CLI::App* command = app.add_subcommand("evaluate", "Translate a source file and measure it against references");
  command->add_option("model", arguments->model, "Model directory")->required();
  command->add_option("--source", arguments->source, "Source file")->required();
  command->add_option("--reference", arguments->references, "Reference file; once for each")
      ->required()
      ->allow_extra_args(false);
  add_value(*command, "--tokenize", arguments->tokenize, allowed_of("training.validation.tokenize"),
            "BLEU tokenizer: 13a, none, char, intl");
  command->add_flag("--lowercase", arguments->lowercase, "Lower-case before BLEU");
  command->add_flag("--json", arguments->json, "Print JSON");
  add_value(*command, "--threads", arguments->threads, allowed_of("threads"), kThreadsHelp);
  arguments->decoding.add_to(*command);
  command->callback([arguments] { evaluate(*arguments); });
}

}  // namespace dragoman
