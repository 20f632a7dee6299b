// The table of what a validation can measure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/table.h"
#include "layers/output.h"
#include "train/train_options.h"

namespace DRAGOMAN_NAMESPACE {

/// Translations of the development set, line by line, and its references, cleaned as training text is.
struct TranslatedText {
  std::span<const std::string> translations, references;
  const ValidationOptions& options;
};

struct Metric {
  const char* name;
  bool lower_is_better = false;
  bool reads_bleu_options = false;  ///< tokenize, lowercase
  bool smoothed = false;            ///< by label_smoothing, which is said beside it
  const char* shown = name;         ///< on the terminal
  int decimals = 4;
  /// One of the two: from the labels with the reference before them (teacher forcing), or from translations.
  double (*of_labels)(const LossSums&) = nullptr;
  double (*of_text)(const TranslatedText&) = nullptr;

  [[nodiscard]] bool translates() const { return of_text != nullptr; }
};

extern const Metric kLoss;              ///< cross-entropy, smoothed as in training, per label
extern const Metric kPerplexity;        ///< exp of the mean unsmoothed negative log-probability of a label
extern const Metric kAccuracy;          ///< share of labels that have the highest logit
extern const Metric kSequenceAccuracy;  ///< share of lines that equal their reference
extern const Metric kBleu;              ///< 0 to 100, metrics/bleu.h

Table<Metric>& validation_metrics();

/// Does one of these metrics translate?
[[nodiscard]] bool translates(const ValidationOptions& options);

/// Is a better than b? What is not finite never is.
[[nodiscard]] bool better_metric(std::string_view metric, double a, double b);

/// BLEU's for these options.
[[nodiscard]] std::string bleu_signature(const ValidationOptions& options);

}  // namespace DRAGOMAN_NAMESPACE
