// dragoman translate MODEL_DIR
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/attention_json.h"
#include "app/commands.h"
#include "app/decoding_arguments.h"
#include "app/loaded_model.h"
#include "app/model_directory.h"
#include "app/options.h"
#include "app/threads.h"
#include "core/error.h"
#include "data/text_check.h"
#include "io/line_reader.h"
#include "io/output_file.h"

namespace dragoman {
namespace {

struct TranslateArguments {
  std::string model;
  std::string input = "-", output = "-";
  std::string attention;
  std::optional<Index> n_best;
  int threads = 0;
  DecodingArguments decoding;
};

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6f", x);
  return text;
}

/// Writing must not destroy what is still to be read.
void check_files(const TranslateArguments& arguments) {
  const auto same = [](const std::string& a, const std::string& b) {
    std::error_code ignored;  // one that doesn't exist is not the same
    return a != "-" && b != "-" && std::filesystem::equivalent(a, b, ignored);
  };
  for (const std::string& written : {arguments.output, arguments.attention}) {
    if (written.empty()) continue;
    if (same(written, arguments.input)) throw UserError(written, 0, "is the input, too; write to another file");
    check_outside_model(written, arguments.model);
  }
  if (arguments.attention == "-") throw UserError("--attention: expected a file; standard output has the translations");
  if (!arguments.attention.empty() && same_output(arguments.attention, arguments.output)) {
    throw UserError("--attention: " + arguments.attention + " is the output, too; write to another file");
  }
}

void translate(const TranslateArguments& arguments) {
  check_files(arguments);
  use_threads(arguments.threads);
  LoadedModel loaded = load_model_directory(arguments.model);
  DecodeOptions options = arguments.decoding.apply(loaded.config);
  const Index n_best = arguments.n_best.value_or(0);
  if (n_best > options.beam_size) {
    throw UserError("--n-best: found " + std::to_string(n_best) + ", expected 1 to the beam size (" +
                    std::to_string(options.beam_size) + "); --beam-size raises it");
  }
  const Translator translator(*loaded.model, loaded.tokenizers, options, loaded.config.data.normalization,
                              std::max<Index>(n_best, 1));

  constexpr std::size_t kBlock = 4096;  // lines in memory at a time
  LineReader reader(arguments.input);
  OutputFile output(arguments.output);
  std::optional<OutputFile> attention;
  if (!arguments.attention.empty()) attention.emplace(arguments.attention);
  LineRemarks remarks;
  std::vector<std::string> lines;
  std::size_t done = 0;
  std::string line;
  for (bool more = true; more;) {
    lines.clear();
    // What is there is translated together; whoever waits for an answer before writing on gets it.
    while (lines.size() < kBlock && (lines.empty() || reader.is_ready()) && (more = reader.next(line))) {
      lines.push_back(line);
    }
    if (done == 0) check_beginning(reader.name(), lines);
    const auto results = translator.translate(lines, done + 1, &remarks);
    std::string text, maps;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (n_best == 0) text += results[i].front().text + "\n";
      for (Index n = 0; n < n_best && n < static_cast<Index>(results[i].size()); ++n) {
        const Translation& t = results[i][static_cast<std::size_t>(n)];
        text += std::to_string(done + i) + " ||| " + t.text + " ||| " + number(t.score) + "\n";
      }
      if (attention) {
        const Translation& best = results[i].front();
        const bool empty = best.source.empty();
        maps +=
            attention_json(best, empty ? std::vector<AttentionMap>{} : translator.attention(best), loaded.tokenizers) +
            "\n";
      }
    }
    done += lines.size();
    output.write(text);
    if (attention) attention->write(maps);
  }
  if (attention) attention->finish();
  output.finish();
  for (const std::string& sentence : translator.describe(remarks)) {
    std::fprintf(stderr, "dragoman: warning: %s\n", sentence.c_str());
  }
}

}  // namespace

void add_translate(CLI::App& app) {
  auto arguments = std::make_shared<TranslateArguments>();
  CLI::App* command = app.add_subcommand("translate", "Translate lines: n lines in, n lines out");
  command->add_option("model", arguments->model, "Model directory")->required();
  command->add_option("-i,--input", arguments->input, "Input file (default: standard input)");
  command->add_option("-o,--output", arguments->output,
                      "Output file, which appears whole in the end (default: standard output)");
  add_value(*command, "--n-best", arguments->n_best, at_least(1),
            "Write the n best translations as: index ||| text ||| score");
  command->add_option("--attention", arguments->attention,
                      "Write attention weights to this file, a JSON object a line");
  add_value(*command, "--threads", arguments->threads, allowed_of("threads"), kThreadsHelp);
  arguments->decoding.add_to(*command);
  command->callback([arguments] { translate(*arguments); });
}

}  // namespace dragoman
