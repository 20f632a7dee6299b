// dragoman metrics: scores a file of hypotheses against reference files, with the numbers of sacreBLEU.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/options.h"
#include "core/error.h"
#include "data/clean.h"
#include "data/text_check.h"
#include "io/line_reader.h"
#include "metrics/bleu.h"
#include "metrics/tokenized_look.h"

#ifndef DRAGOMAN_VERSION
#define DRAGOMAN_VERSION "unknown"
#endif

namespace dragoman {
namespace {

struct Options {
  std::vector<std::string> references;
  std::string hypotheses = "-";
  std::vector<std::string> metrics = {"bleu"};
  std::string tokenizer = "13a";
  std::string smoothing = "exp";
  std::optional<double> smooth_value;
  bool lowercase = false;
  bool sentence = false;
  bool json = false;
};

void check_metrics(const std::vector<std::string>& metrics) {
  for (const auto& metric : metrics) {
    if (metric == "chrf" || metric == "ter") {
      throw UserError("metrics: '" + metric + "' is not supported yet; use -m bleu");
    }
    if (metric != "bleu") {
      throw UserError("metrics: unknown metric '" + metric + "'; expected bleu");
    }
  }
}

BleuOptions bleu_options(const Options& options) {
  BleuOptions bleu;
  bleu.tokenizer = parse_bleu_tokenizer(options.tokenizer);
  bleu.smoothing = parse_bleu_smoothing(options.smoothing);
  bleu.smooth_value = options.smooth_value;
  bleu.lowercase = options.lowercase;
  bleu.effective_order = options.sentence;
  return bleu;
}

/// One sentence or corpus as a line of text, in the form of sacreBLEU, or of JSON.
std::string report(const BleuScore& score, const std::string& signature, bool json) {
  if (!json) {
    std::ostringstream line;
    line.setf(std::ios::fixed);
    line.precision(2);
    line << "BLEU|" << signature << " = " << score.score << ' ' << score.details();
    return line.str();
  }
  return nlohmann::ordered_json{
      {"name", "BLEU"},
      {"score", score.score},
      {"signature", signature},
      {"verbose_score", score.details()},
      {"precisions", score.precisions},
      {"counts", score.counts},
      {"totals", score.totals},
      {"bp", score.bp},
      {"ratio", score.ratio()},
      {"hyp_len", score.sys_len},
      {"ref_len", score.ref_len},
  }
      .dump();
}

/// The files side by side: a line of each at a time.
class ParallelLines {
 public:
  ParallelLines(const std::string& hypotheses, const std::vector<std::string>& references) {
    const auto from_stdin = std::count(references.begin(), references.end(), "-") + (hypotheses == "-" ? 1 : 0);
    if (from_stdin > 1)
      throw UserError("metrics: only one file can be - (standard input); give the hypotheses with -i");
    readers_.emplace_back(hypotheses);
    for (const auto& path : references) readers_.emplace_back(path);
    this->references.resize(references.size());
    decomposed_.resize(readers_.size());
  }

  /// False at the end of all files. UserError: one ends before another, or is no UTF-8 text (data/text_check.h).
  bool next() {
    std::size_t ended = 0;
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      std::string& line = i == 0 ? hypothesis : references[i - 1];
      LineReader& reader = readers_[i];
      if (!reader.next(line)) {
        ++ended;
        continue;
      }
      check_text(reader.name(), line, reader.number(), reader.number() == 1);
      if (i > 0 && !is_composed(line)) decomposed_[i].add(reader.number());
    }
    if (ended > 0 && ended < readers_.size()) unequal();
    return ended == 0;
  }

  /// sacreBLEU compares characters as they are; a user may have meant the words.
  void warn() const {
    for (std::size_t i = 1; i < readers_.size(); ++i) {
      if (decomposed_[i].count == 0) continue;
      std::fprintf(
          stderr,
          "dragoman: warning: %s: NFC would change %zu of %zu lines (first: %zu); translations are in NFC, and "
          "BLEU takes other forms for other characters: convert the references (uconv -x nfc), or use evaluate, "
          "which cleans them\n",
          one_line(readers_[i].name()).c_str(), decomposed_[i].count, readers_[i].number(), decomposed_[i].first);
    }
  }

  std::string hypothesis;
  std::vector<std::string> references;

 private:
  struct Counted {
    std::size_t count = 0;
    std::size_t first = 0;
    void add(std::size_t line) {
      if (count++ == 0) first = line;
    }
  };

  [[noreturn]] void unequal() {
    std::string message = "metrics: the files differ in their numbers of lines:";
    for (auto& reader : readers_) {
      std::string line;
      while (reader.next(line)) continue;
      message += (&reader == readers_.data() ? " " : ", ") + reader.name() + " has " + std::to_string(reader.number());
    }
    throw UserError(message);
  }

  std::vector<LineReader> readers_;
  std::vector<Counted> decomposed_;  // lines of the references that are not in NFC
};

void run(const Options& options) {
  check_metrics(options.metrics);
  Bleu bleu(bleu_options(options));
  const std::string signature = bleu.signature(options.references.size(), "dragoman-" DRAGOMAN_VERSION);
  ParallelLines lines(options.hypotheses, options.references);
  BleuStats corpus;
  TokenizedLook look;
  while (lines.next()) {
    look.add(lines.hypothesis);
    const BleuStats stats = bleu.line_stats(lines.hypothesis, lines.references);
    if (options.sentence) std::cout << report(bleu.score(stats), signature, options.json) << '\n';
    corpus += stats;
  }
  lines.warn();
  if (look.tokenized() && (options.tokenizer == "13a" || options.tokenizer == "intl")) {
    std::fprintf(
        stderr,
        "dragoman: warning: the hypotheses look tokenized (%lld lines end in a space and a full stop), but BLEU "
        "with --tokenize %s is of text as people write it: detokenize them, or use --tokenize none when the "
        "references are tokenized, too\n",
        static_cast<long long>(look.spaced()), options.tokenizer.c_str());
  }
  if (!options.sentence) std::cout << report(bleu.score(corpus), signature, options.json) << '\n';
  std::cout << std::flush;
  if (!std::cout) throw std::runtime_error("metrics: can't write to standard output");
}

}  // namespace

void add_metrics(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("metrics", "Score translations against references, as sacreBLEU does");
  command->add_option("REF", options->references, "Reference files, one translation a line")->required();
  command->add_option("-i,--input", options->hypotheses, "Hypotheses; - is standard input")->capture_default_str();
  command->add_option("-m,--metrics", options->metrics, "Metrics: bleu")
      ->capture_default_str()
      ->allow_extra_args(false);
  add_value(*command, "--tokenize", options->tokenizer, allowed_of("training.validation.tokenize"),
            "13a, intl, char or none");
  add_value(*command, "--smooth", options->smoothing, one_of({"exp", "floor", "add-k", "none"}),
            "exp, floor, add-k or none");
  add_value(*command, "--smooth-value", options->smooth_value, at_least(0),
            "For floor (default 0.1) and add-k (default 1)");
  command->add_flag("--lowercase", options->lowercase, "Ignore case");
  command->add_flag("--sentence", options->sentence, "A score for each line, with effective order");
  command->add_flag("--json", options->json, "One JSON object, with all digits (--sentence: one a line)");
  command->callback([options] { run(*options); });
}

}  // namespace dragoman
