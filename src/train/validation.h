// Metrics of a model on a development or test set.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/stop.h"
#include "data/corpus.h"
#include "data/data_options.h"
#include "train/observer.h"
#include "train/train_options.h"
#include "translate/translator.h"

namespace DRAGOMAN_NAMESPACE {

/// Labels that a thread evaluates at a time: enough for fast products, and less than a shard keeps for backward.
inline constexpr std::size_t kValidationLabels = 512;

/// What validation_metrics.h has: without dropout from teacher-forced labels, and by translating the source with the same
/// code as `translate`, against the reference lines, cleaned as training text is. Beside them the entropy of the model's
/// attention.
class Validator {
 public:
  /// UserError: bad text. The model and the corpus must outlive it.
  Validator(const Seq2Seq& model, const TokenizerPair& tokenizers, const Corpus& corpus, const DataOptions& data,
            const ValidationOptions& options, const DecodeOptions& decoding, double label_smoothing);

  /// Fills in metrics, signature, seconds. Nothing when it was stopped. NotFinite: the model's output is not.
  [[nodiscard]] std::optional<ValidationReport> run(const StopCheck& stop = {}) const;

 private:
  /// Of all sources; the report gets remarks. Worthless when stopped.
  std::vector<std::string> translate(ValidationReport& report, const StopCheck& stop) const;

  const Seq2Seq& model_;
  Translator translator_;
  ValidationOptions options_;
  double label_smoothing_;
  std::vector<Batch> batches_;
  std::vector<std::string> sources_, references_;
};

}  // namespace DRAGOMAN_NAMESPACE
