// dragoman translate MODEL_DIR
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>

#include "app/attention_json.h"
#include "app/commands.h"
#include "app/decoding_arguments.h"
#include "app/loaded_model.h"
#include "app/threads.h"
#include "core/error.h"
#include "data/text_check.h"
#include "io/atomic_file.h"
#include "io/line_reader.h"

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

/// Standard output or a file, which appears whole in the end (a pipe or a device gets lines as they come); a failed
/// write is an error, never silence.
class Output {
 public:
  explicit Output(const std::string& path) : path_(path == "-" ? "standard output" : path) {
    std::error_code ignored;  // one that doesn't exist will be a file
    if (path != "-" && (!std::filesystem::exists(path, ignored) || std::filesystem::is_regular_file(path, ignored))) {
      file_.emplace(path);
    } else if (path != "-") {
      special_.open(path, std::ios::binary);
      if (!special_) throw UserError(path_, 0, std::string("cannot open to write: ") + std::strerror(errno));
      stream_ = &special_;
    }
  }
  void line(const std::string& text) { buffer_ += text + "\n"; }
  void flush() {
    if (file_) {
      file_->write(buffer_);
    } else {
      stream_->write(buffer_.data(), static_cast<std::streamsize>(buffer_.size())).flush();
      if (!*stream_) throw UserError(path_, 0, std::string("cannot write: ") + std::strerror(errno));
    }
    buffer_.clear();
  }
  /// Once, after the last line.
  void finish() {
    flush();
    if (file_) file_->commit();
  }

 private:
  std::string path_, buffer_;
  std::optional<AtomicFile> file_;
  std::ofstream special_;
  std::ostream* stream_ = &std::cout;
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
    if (same(written, arguments.input)) throw UserError(written, 0, "is the input, too; write to another file");
  }
  if (arguments.attention == "-") throw UserError("--attention: expected a file; standard output has the translations");
  const auto place = [](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path));
  };
  if (!arguments.attention.empty() && arguments.output != "-" &&
      place(arguments.attention) == place(arguments.output)) {
    throw UserError("--attention: " + arguments.attention + " is the output, too; write to another file");
  }
}

void translate(const TranslateArguments& arguments) {
  check_files(arguments);
  use_threads(arguments.threads);
  LoadedModel loaded = load_model_directory(arguments.model);
  DecodeOptions options = arguments.decoding.apply(loaded.config);
  const Index n_best = arguments.n_best.value_or(0);
  if (arguments.n_best && (n_best < 1 || n_best > options.beam_size)) {
    throw UserError("--n-best: found " + std::to_string(n_best) + ", expected 1 to the beam size (" +
                    std::to_string(options.beam_size) + "); --beam-size raises it");
  }
  const Translator translator(*loaded.model, loaded.tokenizers, options, loaded.config.data.normalization,
                              std::max<Index>(n_best, 1));

  constexpr std::size_t kBlock = 4096;  // lines in memory at a time
  LineReader reader(arguments.input);
  Output output(arguments.output);
  std::unique_ptr<Output> attention;
  if (!arguments.attention.empty()) attention = std::make_unique<Output>(arguments.attention);
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
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (n_best == 0) output.line(results[i].front().text);
      for (Index n = 0; n < n_best && n < static_cast<Index>(results[i].size()); ++n) {
        const Translation& t = results[i][static_cast<std::size_t>(n)];
        output.line(std::to_string(done + i) + " ||| " + t.text + " ||| " + number(t.score));
      }
      if (attention) {
        const Translation& best = results[i].front();
        const bool empty = best.source.empty();
        attention->line(
            attention_json(best, empty ? std::vector<AttentionMap>{} : translator.attention(best), loaded.tokenizers));
      }
    }
    done += lines.size();
    output.flush();
    if (attention) attention->flush();
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
  command->add_option("--n-best", arguments->n_best, "Write the n best translations as: index ||| text ||| score");
  command->add_option("--attention", arguments->attention,
                      "Write attention weights to this file, a JSON object a line");
  command->add_option("--threads", arguments->threads, "Threads (0: all cores)");
  arguments->decoding.add_to(*command);
  command->callback([arguments] { translate(*arguments); });
}

}  // namespace dragoman
