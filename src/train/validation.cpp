#include "train/validation.h"

#include <chrono>
#include <cmath>

#include "analysis/attention_entropy.h"
#include "data/clean.h"
#include "data/pair_encoder.h"
#include "decode/search_rules.h"
#include "train/validation_metrics.h"
#include "translate/scorer.h"

namespace DRAGOMAN_NAMESPACE {
Validator::Validator(const Seq2Seq& model, const TokenizerPair& tokenizers, const Corpus& corpus,
                     const DataOptions& data, const ValidationOptions& options, const DecodeOptions& decoding,
                     double label_smoothing)
    : model_(model),
      translator_(model, tokenizers, decoding, data.normalization),
      options_(options),
      label_smoothing_(label_smoothing) {
  const PairEncoder encoder(corpus, tokenizers, {data.max_length, data.on_long, data.normalization}, 0);
  batches_ = encode_all(encoder, kValidationLabels);
  sources_.resize(corpus.size());
  references_.resize(corpus.size());
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    corpus.read(i, sources_[i], references_[i]);
    references_[i] = normalize_text(references_[i], data.normalization);  // as what the model has learnt to write
  }
}

std::optional<ValidationReport> Validator::run(const StopCheck& stop) const {
  const auto start = std::chrono::steady_clock::now();
  ValidationReport report;
  std::vector<const Metric*> of_labels, of_text;
  for (const std::string& name : options_.metrics) {
    const Metric& metric = validation_metrics().at(name);
    (metric.translates() ? of_text : of_labels).push_back(&metric);
  }
  if (!of_labels.empty()) {
    const LossSums sums = evaluate_batches(model_, batches_, label_smoothing_, nullptr, stop);
    if (stopped(stop)) return std::nullopt;
    if (!std::isfinite(sums.negative_log_prob)) throw NotFinite();
    for (const Metric* metric : of_labels) {
      const double value = metric->of_labels(sums);  // sums of finite numbers, and exp() of one, may not be finite
      if (!std::isfinite(value)) throw NotFinite();
      report.metrics[metric->name] = value;
    }
  }
  report.attention = attention_entropy(model_, model_.values(), batches_, stop);
  if (stopped(stop)) return std::nullopt;
  if (!of_text.empty()) {
    const std::vector<std::string> translations = translate(report, stop);
    if (stopped(stop)) return std::nullopt;
    for (const Metric* metric : of_text) {
      report.metrics[metric->name] = metric->of_text({translations, references_, options_});
      if (metric->reads_bleu_options) report.bleu_signature = bleu_signature(options_);
    }
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

std::vector<std::string> Validator::translate(ValidationReport& report, const StopCheck& stop) const {
  LineRemarks remarks;
  const std::vector<std::vector<Translation>> found = translator_.translate(sources_, 1, &remarks, stop);
  if (stopped(stop)) return {};
  std::vector<std::string> texts;
  texts.reserve(found.size());
  for (const std::vector<Translation>& translations : found) texts.push_back(translations.front().text);
  report.cut = remarks.ended.size();  // a number is enough: early in a training it is usual
  remarks.ended.clear();
  remarks.unknown.clear();  // the data report counts them
  report.remarks = translator_.describe(remarks);
  return texts;
}

}  // namespace DRAGOMAN_NAMESPACE
