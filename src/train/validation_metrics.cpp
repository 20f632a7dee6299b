#include "train/validation_metrics.h"

#include <algorithm>
#include <cmath>

#include "metrics/accuracy.h"
#include "metrics/bleu.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

double per_label(double sum, const LossSums& sums) { return sum / static_cast<double>(sums.labels); }

double loss(const LossSums& sums) { return per_label(sums.loss, sums); }

double perplexity(const LossSums& sums) { return std::exp(per_label(sums.negative_log_prob, sums)); }

double accuracy(const LossSums& sums) { return per_label(static_cast<double>(sums.correct), sums); }

double sequence_accuracy(const TranslatedText& text) {
  SequenceAccuracy exact;
  for (std::size_t i = 0; i < text.references.size(); ++i) exact.add(text.translations[i], text.references[i]);
  return exact.value();
}

Bleu bleu_of(const ValidationOptions& options) {
  BleuOptions bleu;
  bleu.tokenizer = parse_bleu_tokenizer(options.tokenize);
  bleu.lowercase = options.lowercase;
  return Bleu(bleu);
}

double bleu(const TranslatedText& text) {
  Bleu bleu = bleu_of(text.options);
  BleuStats stats;
  for (std::size_t i = 0; i < text.references.size(); ++i) {
    stats += bleu.line_stats(text.translations[i], {&text.references[i], 1});
  }
  return bleu.score(stats).score;
}

}  // namespace

const Metric kLoss = {.name = "loss", .lower_is_better = true, .smoothed = true, .of_labels = loss};
const Metric kPerplexity = {.name = "perplexity", .lower_is_better = true, .of_labels = perplexity};
const Metric kAccuracy = {.name = "accuracy", .of_labels = accuracy};
const Metric kSequenceAccuracy = {.name = "sequence_accuracy", .of_text = sequence_accuracy};
const Metric kBleu = {.name = "bleu", .reads_bleu_options = true, .shown = "BLEU", .decimals = 2, .of_text = bleu};

Table<Metric>& validation_metrics() {
  static Table<Metric> table("metric", {&kLoss, &kPerplexity, &kAccuracy, &kSequenceAccuracy, &kBleu});
  return table;
}

bool translates(const ValidationOptions& options) {
  return std::any_of(options.metrics.begin(), options.metrics.end(),
                     [](const std::string& name) { return validation_metrics().at(name).translates(); });
}

bool better_metric(std::string_view metric, double a, double b) {
  if (!std::isfinite(a)) return false;
  return validation_metrics().at(metric).lower_is_better ? a < b : a > b;
}

std::string bleu_signature(const ValidationOptions& options) { return bleu_of(options).signature(1); }

}  // namespace DRAGOMAN_NAMESPACE
