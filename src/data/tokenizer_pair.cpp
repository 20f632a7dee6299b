#include "data/tokenizer_pair.h"

#include "core/error.h"
#include "data/clean.h"
#include "data/long_line.h"

namespace dragoman {

namespace {

constexpr const char* kExtensions[] = {".model", ".json"};

enum class Side { source, target, both };

TrainingText training_text(const Corpus& corpus, Side side, const std::string& normalization) {
  const auto line = [&corpus, side, normalization](std::size_t i) {
    const std::size_t pair = side == Side::both ? i / 2 : i;
    const bool is_target = side == Side::target || (side == Side::both && i % 2 == 1);
    if (corpus.bytes(pair) > kMaxLineToTokenize) return std::string();
    std::string source;
    std::string target;
    corpus.read(pair, source, target);
    return normalize_text(is_target ? target : source, normalization);
  };
  return {side == Side::both ? 2 * corpus.size() : corpus.size(), line};
}

/// Null when the directory has no such file.
std::shared_ptr<const Tokenizer> find_tokenizer(const std::filesystem::path& directory, const std::string& stem) {
  for (const char* extension : kExtensions) {
    const auto path = directory / (stem + extension);
    std::error_code ignored;
    // Whatever has the name, a link to nowhere too, is looked at: the reader says what is wrong with it.
    if (std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return load_tokenizer(path);
  }
  return nullptr;
}

/// A ready tokenizer of the configured type.
std::shared_ptr<const Tokenizer> load_ready(const std::string& key, const std::string& file, const std::string& type) {
  auto tokenizer = load_tokenizer(file);
  if (tokenizer->type() == type) return tokenizer;
  throw UserError(key + ": " + file + " is a tokenizer of type " + tokenizer->type() + ", but tokenizer.type is " +
                  type + "; set tokenizer.type: " + tokenizer->type());
}

}  // namespace

void TokenizerPair::save(const std::filesystem::path& directory) const {
  if (shared()) {
    source->save(directory / ("tokenizer" + source->extension()));
    return;
  }
  source->save(directory / ("source" + source->extension()));
  target->save(directory / ("target" + target->extension()));
}

TokenizerPair TokenizerPair::load(const std::filesystem::path& directory) {
  if (auto both = find_tokenizer(directory, "tokenizer")) return {both, both};
  TokenizerPair pair{find_tokenizer(directory, "source"), find_tokenizer(directory, "target")};
  if (pair.source && pair.target) return pair;
  throw UserError(directory.string(), 0,
                  "holds no tokenizer: expected tokenizer.model or tokenizer.json, or source.* and target.*");
}

TokenizerPair train_tokenizers(const TokenizerOptions& options, const Corpus& corpus, const std::string& normalization,
                               std::uint64_t seed, std::vector<std::string>* warnings) {
  const auto ready = [&](const char* key, const std::string& file) { return load_ready(key, file, options.type); };
  const auto train = [&](Side side) {
    return train_tokenizer(options, training_text(corpus, side, normalization), seed, warnings);
  };
  if (options.shared) {
    if (!options.target_model_file.empty()) {
      throw UserError("tokenizer.target_model_file: given, but tokenizer.shared is true");
    }
    const auto both =
        options.model_file.empty() ? train(Side::both) : ready("tokenizer.model_file", options.model_file);
    return {both, both};
  }
  if (options.model_file.empty() != options.target_model_file.empty()) {
    throw UserError("tokenizer: expected both model_file and target_model_file, or neither, when shared is false");
  }
  if (!options.model_file.empty()) {
    return {ready("tokenizer.model_file", options.model_file),
            ready("tokenizer.target_model_file", options.target_model_file)};
  }
  return {train(Side::source), train(Side::target)};
}

}  // namespace dragoman
