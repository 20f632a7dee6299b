#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>

#include "config/checks.h"
#include "config/values.h"
#include "data/clean.h"
#include "data/tokenizer_kinds.h"
#include "io/model_place.h"

namespace dragoman {
namespace {

void check_parallel(Checker& checker, const std::string& path, const ParallelFiles& files) {
  const std::string source = path + ".source";
  const std::string target = path + ".target";
  const std::string tsv = path + ".tsv";
  if (!files.tsv.empty()) {
    checker.require(files.source.empty() && files.target.empty(), {tsv, source, target},
                    "either tsv or source and target", "a tsv file already holds both sides; keep one of the two");
    return;
  }
  if (files.source.empty() != files.target.empty()) {
    checker.require(false, {source, target}, "both sides, because every sentence needs its translation",
                    std::string("add ") + (files.source.empty() ? source : target));
    return;
  }
  checker.require(files.source.size() == files.target.size(), {source, target},
                  "as many source files as target files, found " + std::to_string(files.source.size()) + " and " +
                      std::to_string(files.target.size()),
                  "list the files of both sides in the same order");
}

/// Empty, or why a symbol could not be kept whole.
std::string fault_of_symbol(const std::string& symbol, const std::string& normalization) {
  if (symbol.find(' ') != std::string::npos) return "no space in a symbol";
  for (const char* control : {"<unk>", "<s>", "</s>"}) {
    if (symbol == control) return "another text, because " + symbol + " is a control token";
  }
  for (const char* reserved : {"\u2581", "\u2585"}) {  // SentencePiece's
    if (symbol.find(reserved) != std::string::npos) return "no U+2581 and no U+2585";
  }
  if (clean_text(symbol) == symbol) return "";
  return normalization == "clean" || clean_text(symbol).find(' ') != std::string::npos
             ? "text that data.normalization leaves as it is (\"" + clean_text(symbol) + "\")"
             : "";
}

void check_symbols(Checker& checker) {
  const Config& config = checker.config();
  const std::string key = "tokenizer.user_defined_symbols";
  const std::vector<std::string>& symbols = config.tokenizer.user_defined_symbols;
  for (const std::string& symbol : symbols) {
    const std::string expected = fault_of_symbol(symbol, config.data.normalization);
    if (!expected.empty()) checker.reject(key, quote_yaml(symbol), expected, "change or remove it");
  }
  checker.require(symbols.size() + 4 <= config.tokenizer.vocab_size, {"tokenizer.vocab_size", key},
                  "room for the symbols, three control tokens and at least one piece", "use a larger vocab_size");
}

void check_tokenizer(Checker& checker) {
  const TokenizerOptions& tokenizer = checker.config().tokenizer;
  const TokenizerKind* kind = tokenizer_kinds().find(tokenizer.type);
  const bool subwords = kind != nullptr && kind->subwords;
  const std::string samplers = join(tokenizer_kinds().names_of(std::mem_fn(&TokenizerKind::subwords)), " or ");
  const std::string others =
      join(tokenizer_kinds().names_of(std::not_fn(std::mem_fn(&TokenizerKind::subwords))), " or ");
  const bool ready = !tokenizer.model_file.empty();
  const std::string type = "tokenizer.type";
  const std::string file = "tokenizer.model_file";
  const std::string shared = "tokenizer.shared";
  const std::string target_file = "tokenizer.target_model_file";

  checker.only_when(subwords, "tokenizer.model_type", {type}, "only " + samplers + " reads it", "use type " + samplers);
  checker.only_when(subwords, "tokenizer.character_coverage", {type}, "only " + samplers + " reads it",
                    "use type " + samplers + ", or min_frequency");
  const std::string alpha = "tokenizer.sampling.alpha";
  checker.only_when(subwords, alpha, {type}, "only " + samplers + " samples pieces", "use type " + samplers);
  checker.only_when(!subwords, "tokenizer.min_frequency", {type}, "only " + others + " reads it",
                    "use a smaller vocab_size, or type " + others);
  check_symbols(checker);
  for (const char* key : {"tokenizer.model_type", "tokenizer.vocab_size", "tokenizer.character_coverage",
                          "tokenizer.min_frequency", "tokenizer.user_defined_symbols"}) {
    checker.only_when(!ready, key, {file}, "a ready model brings its own", "remove model_file to train a new model");
  }
  checker.only_when(!tokenizer.shared, target_file, {shared}, "a shared tokenizer has one model", "use shared: false");
  checker.require(tokenizer.shared || ready == !tokenizer.target_model_file.empty(), {file, target_file, shared},
                  "two model files or none, because the sides have a model each",
                  "give both files, or use shared: true with one");
}

void check_name(Checker& checker) {
  const std::string& name = checker.config().name;
  constexpr std::size_t kLongest = 200;
  const bool good =
      !name.empty() && name.size() <= kLongest && name != "." && name != ".." && name.find('/') == std::string::npos;
  checker.require(good, {"name"}, "a name for a directory, without /",
                  "training.model_dir can place the model anywhere");
}

void check_present(Checker& checker, const std::string& key, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (!std::filesystem::exists(status)) {
      checker.reject(key, file + ", which does not exist", "a file", "paths are relative to the current directory");
    } else if (std::filesystem::is_directory(status)) {
      checker.reject(key, file + ", which is a directory", "a file", "name a file in it");
    }
  }
}

void check_optional(Checker& checker, const std::string& key, const std::string& file) {
  if (!file.empty()) check_present(checker, key, {file});
}

}  // namespace

void check_data(Checker& checker) {
  const DataOptions& data = checker.config().data;
  check_name(checker);
  check_parallel(checker, "data.train", data.train);
  check_parallel(checker, "data.dev", data.dev);
  check_parallel(checker, "data.test", data.test);
  checker.only_when(!data.train.tsv.empty() || !data.dev.tsv.empty() || !data.test.tsv.empty(), "data.tsv_header",
                    {"data.train.tsv", "data.dev.tsv", "data.test.tsv"}, "no tsv file is read", "give a tsv file");
  check_tokenizer(checker);
}

void check_text_files(Checker& checker) {
  const DataOptions& data = checker.config().data;
  const auto parallel = [&](const std::string& path, const ParallelFiles& files) {
    check_present(checker, path + ".source", files.source);
    check_present(checker, path + ".target", files.target);
    check_present(checker, path + ".tsv", files.tsv);
  };
  if (data.train.empty()) {
    checker.reject("data.train.source", "nothing to train on", "training pairs",
                   "give source and target files, or tsv");
  }
  parallel("data.train", data.train);
  parallel("data.dev", data.dev);
  parallel("data.test", data.test);
}

void check_start_files(Checker& checker) {
  const TokenizerOptions& tokenizer = checker.config().tokenizer;
  check_optional(checker, "tokenizer.model_file", tokenizer.model_file);
  check_optional(checker, "tokenizer.target_model_file", tokenizer.target_model_file);
  const std::string& start = checker.config().training.init_from;
  std::error_code error;
  if (!std::filesystem::is_directory(start, error)) return check_optional(checker, "training.init_from", start);
  const ModelPlace place = model_place(start);
  for (const auto& [folder, name] : {std::pair{place.home, "config.yaml"}, {place.weights, "model.safetensors"}}) {
    if (std::filesystem::is_regular_file(folder / name, error)) continue;
    checker.reject("training.init_from", start + ", a directory without " + name, "a model directory or a file",
                   "name the model_dir of a training, one of its checkpoints/NNNNNN, or a model.safetensors");
    return;
  }
}

}  // namespace dragoman
