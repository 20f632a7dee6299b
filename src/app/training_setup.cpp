#include "app/training_setup.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/cpu.h"
#include "app/fingerprint.h"
#include "app/resume.h"
#include "app/start_model.h"
#include "core/error.h"
#include "core/memory_use.h"
#include "decode/search_rules.h"
#include "train/memory.h"
#include "translate/scorer.h"

namespace dragoman {
namespace {

std::optional<Corpus> open_corpus(const ParallelFiles& files, bool tsv_header) {
  if (files.empty()) return std::nullopt;
  return std::make_optional<Corpus>(files, tsv_header);
}

/// Development and test lines are never dropped, so a model with learned positions must take them all.
void check_position_limits(const Seq2Seq& model, const PairEncoder& train, const std::optional<Corpus>& corpus,
                           const std::string& normalization) {
  if (!corpus || (model.max_source_tokens() == kNoLimit && model.max_target_tokens() == kNoLimit)) return;
  const PairEncoder encoder(*corpus, train.tokenizers(), {.normalization = normalization}, 0);
  check_lengths(model, encode_all(encoder, 1), *corpus, kNoLimit);
}

/// The estimate in words. The process holds the program, the text and the model's values by now.
std::string describe(const MemoryEstimate& estimate, const Seq2Seq& model) {
  const auto megabytes = [](double x) { return std::to_string(std::llround(x)); };
  const auto part = [&](std::size_t bytes) { return megabytes(1e-6 * static_cast<double>(bytes)); };
  const double values = 1e-6 * static_cast<double>(model.params().size() * sizeof(Real));
  const double text = current_megabytes() - values;
  const double all = text + 1e-6 * static_cast<double>(estimate.total());
  const double before = peak_megabytes();
  return "memory: about " + megabytes(std::max(all, before)) + " MB" +
         (before > all ? " (so much it was while the text was prepared), then " + megabytes(all) + " MB" : "") + " (" +
         megabytes(text) + " program and text, " + part(estimate.parameters) +
         " parameters with moments and gradients, " + part(estimate.packed) + " packed weights, " +
         part(estimate.activations) + " activations, " + part(estimate.validation) + " validation, " +
         part(estimate.batches) + " batches)";
}

/// What of the estimate is due to long lines that nothing drops.
std::string validation_hint(const MemoryEstimate& estimate) {
  if (estimate.validation < estimate.total() / 2) return "";
  return ". Most of it is validation: the longest line of the development and test text has " +
         std::to_string(estimate.longest_line) + " pieces on a side";
}

void refuse_if_too_large(double megabytes, const std::string& what, const std::string& hint = "") {
  const double free = available_megabytes();
  if (megabytes <= free) return;
  throw UserError(
      "memory: " + what + " would need about " + std::to_string(std::llround(megabytes)) + " MB, but " +
      std::to_string(std::llround(free)) +
      " MB are free; a smaller model or vocabulary, fewer training.shards, smaller training.batch_tokens or "
      "training.piece_tokens need less" +
      hint);
}

/// Does the default of max_epochs end the training before the max_updates that were asked for?
std::string limit_warning(const TrainOptions& training, const DataReport& report, std::size_t pairs) {
  const auto epochs = TrainOptions().max_epochs;
  if (training.max_updates == 0 || training.max_epochs != epochs || report.pairs.lines == 0) return "";
  const auto labels = static_cast<double>(report.sides[1].pieces + report.pairs.kept);  // of what was examined
  const double all = labels * static_cast<double>(pairs) / static_cast<double>(report.pairs.lines);
  const double an_epoch = std::ceil(all / static_cast<double>(training.batch_tokens * training.accumulate));
  const auto updates = static_cast<std::int64_t>(an_epoch) * epochs;
  if (updates >= training.max_updates) return "";
  return "training.max_epochs: " + std::to_string(epochs) + ", its default, ends this training after about " +
         std::to_string(updates) + " updates, before training.max_updates (" + std::to_string(training.max_updates) +
         "); max_epochs: 0 leaves updates alone to decide";
}

TokenizerPair make_tokenizers(const Config& config, bool resume, const Corpus& train,
                              std::vector<std::string>& warnings) {
  if (resume) return TokenizerPair::load(config.training.model_dir);
  return train_tokenizers(config.tokenizer, train, config.data.normalization, config.seed, &warnings);
}

}  // namespace

TrainingSetup::TrainingSetup(const Config& config, const TrainingState* resume, int threads)
    : train(config.data.train, config.data.tsv_header),
      dev(open_corpus(config.data.dev, config.data.tsv_header)),
      test(open_corpus(config.data.test, config.data.tsv_header)),
      tokenizers(make_tokenizers(config, resume != nullptr, train, warnings)),
      fingerprint(training_fingerprint(config, train, dev_or_null(), tokenizers)),
      encoder(train, tokenizers,
              {config.data.max_length, config.data.on_long, config.data.normalization, config.tokenizer.sampling}),
      model(config.model, static_cast<Index>(tokenizers.source->size()),
            static_cast<Index>(tokenizers.target->size())) {
  if (resume != nullptr) {
    check_resumable(config.training.model_dir, *resume, fingerprint, config);
    check_tokenizer_files(config, tokenizers);
  }
  if (threads > config.training.shards) {
    warnings.push_back(std::to_string(threads) + " threads, but a batch is cut into " +
                       std::to_string(config.training.shards) + " shards: set training.shards to use all threads");
  }
  for (const std::string& warning : {emulation_warning("training.precision", config.training.precision),
                                     emulation_warning("decoding.precision", config.decoding.precision)}) {
    if (!warning.empty()) warnings.push_back(warning);
  }
  examine_data(config);
  for (const std::optional<Corpus>* corpus : {&dev, &test}) {
    check_position_limits(model, encoder, *corpus, config.data.normalization);
  }
  infos.push_back("vocabulary " + std::to_string(tokenizers.source->size()) + " / " +
                  std::to_string(tokenizers.target->size()) + ", " + std::to_string(model.params().count()) +
                  " parameters");
  give_memory_back();  // what training the tokenizer took
  initialize_model(config, resume != nullptr);
  check_memory(config, threads);
}

void TrainingSetup::examine_data(const Config& config) {
  if (const std::size_t bytes = train.temporary_bytes(); bytes > 0) {
    infos.push_back("training data: packed files (or pipes) are written to temporary files of " +
                    std::to_string((bytes + 999'999) / 1'000'000) + " MB in " +
                    std::filesystem::temp_directory_path().string());
  }
  const DataReport report = examine(encoder, dev_or_null(), test_or_null(), kExamineAll,
                                    length_caps(config.decoding, model.max_target_tokens()));
  for (std::string& line : report.lines()) infos.push_back(std::move(line));
  for (std::string& warning : report.warnings()) warnings.push_back(std::move(warning));
  if (std::string warning = limit_warning(config.training, report, train.size()); !warning.empty()) {
    warnings.push_back(std::move(warning));
  }
}

void TrainingSetup::initialize_model(const Config& config, bool resume) {
  const bool validates = dev || test;
  refuse_if_too_large(1e-6 * static_cast<double>(estimate_weights(model, config.training, validates).total()),
                      "the parameters with their gradients and moments");
  if (resume) {
    model.params().allocate();  // the checkpoint fills them in
    return;
  }
  model.params().initialize(config.seed);
  if (!config.training.init_from.empty()) start_from(config, tokenizers, model, warnings);
}

void TrainingSetup::check_memory(const Config& config, int threads) {
  const MemoryEstimate memory =
      estimate_memory(model, encoder, config.training, config.decoding, dev_or_null(), test_or_null(), threads);
  const auto values = static_cast<double>(model.params().size() * sizeof(Real));  // there already
  refuse_if_too_large(1e-6 * (static_cast<double>(memory.total()) - values), "this training", validation_hint(memory));
  infos.push_back(describe(memory, model));
}

}  // namespace dragoman
