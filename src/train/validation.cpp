#include "train/validation.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "analysis/attention_entropy.h"
#include "data/clean.h"
#include "data/pair_encoder.h"
#include "decode/search_rules.h"
#include "metrics/accuracy.h"
#include "metrics/bleu.h"
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
  const auto wanted = [&](const char* metric) {
    return std::find(options_.metrics.begin(), options_.metrics.end(), metric) != options_.metrics.end();
  };
  if (wanted("loss") || wanted("perplexity") || wanted("accuracy")) {
    const LossSums sums = evaluate_batches(model_, batches_, label_smoothing_, nullptr, stop);
    if (stopped(stop)) return std::nullopt;
    if (!std::isfinite(sums.negative_log_prob)) throw NotFinite();
    const auto labels = static_cast<double>(sums.labels);
    if (wanted("loss")) report.metrics["loss"] = sums.loss / labels;
    if (wanted("perplexity")) report.metrics["perplexity"] = std::exp(sums.negative_log_prob / labels);
    if (wanted("accuracy")) report.metrics["accuracy"] = static_cast<double>(sums.correct) / labels;
    for (const auto& [name, value] : report.metrics) {  // sums of finite numbers, and exp() of one, may not be
      if (!std::isfinite(value)) throw NotFinite();
    }
  }
  report.attention = attention_entropy(model_, model_.values(), batches_, stop);
  if (stopped(stop)) return std::nullopt;
  if (wanted("bleu") || wanted("sequence_accuracy")) {
    LineRemarks remarks;
    const std::vector<std::vector<Translation>> translations = translator_.translate(sources_, 1, &remarks, stop);
    if (stopped(stop)) return std::nullopt;
    report.cut = remarks.ended.size();  // a number is enough: early in a training it is usual
    remarks.ended.clear();
    remarks.unknown.clear();  // the data report counts them
    report.remarks = translator_.describe(remarks);
    BleuOptions options;
    options.tokenizer = parse_bleu_tokenizer(options_.tokenize);
    options.lowercase = options_.lowercase;
    Bleu bleu(options);
    BleuStats stats;
    SequenceAccuracy exact;
    for (std::size_t i = 0; i < references_.size(); ++i) {
      const std::string& text = translations[i].front().text;
      exact.add(text, references_[i]);
      if (wanted("bleu")) stats += bleu.line_stats(text, {&references_[i], 1});
    }
    if (wanted("bleu")) {
      report.metrics["bleu"] = bleu.score(stats).score;
      report.bleu_signature = bleu.signature(1);
    }
    if (wanted("sequence_accuracy")) {
      report.metrics["sequence_accuracy"] = exact.value();
    }
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

bool better_metric(const std::string& metric, double a, double b) {
  if (!std::isfinite(a)) return false;
  return metric == "loss" || metric == "perplexity" ? a < b : a > b;
}

}  // namespace DRAGOMAN_NAMESPACE
