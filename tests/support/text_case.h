// A small parallel text with its tokenizers, in temporary files.
#pragma once

#include <memory>
#include <string>

#include "core/parallel.h"
#include "data/corpus.h"
#include "data/temp_files.h"
#include "data/tokenizer_pair.h"
#include "data/toy_tasks.h"
#include "models/seq2seq.h"
#include "support/numbers.h"
#include "support/tiny_model.h"

namespace DRAGOMAN_NAMESPACE {

/// `pairs` pairs of reversed numerals (different sources), the `extra` line as a pair with itself (if not empty), and
/// tokenizers trained on them.
class TextCase {
 public:
  explicit TextCase(Index pairs = 20, const std::string& tokenizer = "word", bool shared = false,
                    std::uint64_t seed = 1, const std::string& extra = "") {
    ToyOptions toy{.train = 1, .dev = 1, .test = pairs, .symbols = 7, .min_length = 2, .max_length = 5, .seed = seed};
    toy.test_max_length = 5;
    std::string source, target;
    for (const ToyPair& pair : make_toy_corpus(ToyTask::kReverse, toy).test) {
      source += pair.source + "\n";
      target += pair.target + "\n";
    }
    if (!extra.empty()) {
      source += extra + "\n";
      target += extra + "\n";
    }
    corpus = open("train", source, target);
    TokenizerOptions options;
    options.type = tokenizer;
    options.shared = shared;
    options.vocab_size = 20;
    tokenizers = train_tokenizers(options, *corpus, "clean", 1, nullptr);
  }

  [[nodiscard]] std::unique_ptr<Corpus> open(const std::string& name, const std::string& source,
                                             const std::string& target) const {
    ParallelFiles paths;
    paths.source = {files.write(name + ".src", source)};
    paths.target = {files.write(name + ".trg", target)};
    return std::make_unique<Corpus>(paths);
  }

  [[nodiscard]] std::unique_ptr<Seq2Seq> model(ModelConfig config = tiny_config(), std::uint64_t seed = 3) const {
    auto made = std::make_unique<Seq2Seq>(config, static_cast<Index>(tokenizers.source->size()),
                                          static_cast<Index>(tokenizers.target->size()));
    initialize_with_biases(made->params(), seed);
    return made;
  }

  testing::TempFiles files;
  std::unique_ptr<Corpus> corpus;
  TokenizerPair tokenizers;
};

/// Sets the number of threads for a while.
class ThreadsGuard {
 public:
  explicit ThreadsGuard(int threads) : before_(max_threads()) { set_threads(threads); }
  ~ThreadsGuard() { set_threads(before_); }
  ThreadsGuard(const ThreadsGuard&) = delete;
  ThreadsGuard& operator=(const ThreadsGuard&) = delete;

 private:
  int before_;
};

}  // namespace DRAGOMAN_NAMESPACE
