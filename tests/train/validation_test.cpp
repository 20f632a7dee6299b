// Metrics on a development set: those of scoring and translating it.
#include "train/validation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "decode/search_rules.h"
#include "metrics/bleu.h"
#include "support/training_case.h"
#include "train/validation_metrics.h"
#include "translate/scorer.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

ValidationReport validate(const TextCase& text, const Corpus& dev, const std::vector<std::string>& metrics,
                          const std::string& normalization = "clean") {
  const auto model = text.model();
  ValidationOptions options;
  options.metrics = metrics;
  DecodeOptions decoding;
  decoding.beam_size = 1;
  DataOptions data;
  data.normalization = normalization;
  return Validator(*model, text.tokenizers, dev, data, options, decoding, 0.1).run().value();
}

TEST(Validator, GivesNothingWhenStopped) {
  const TextCase text;
  const auto model = text.model();
  for (const std::string metric : {"perplexity", "bleu"}) {
    ValidationOptions options;
    options.metrics = {metric};
    const Validator validator(*model, text.tokenizers, *text.corpus, {}, options, {}, 0.1);
    EXPECT_FALSE(validator.run([] { return true; })) << metric;
    EXPECT_TRUE(validator.run([] { return false; })) << metric;
  }
}

TEST(Validator, MeasuresWhatWasAskedFor) {
  const TextCase text;
  const auto report = validate(text, *text.corpus, {"perplexity", "sequence_accuracy"});
  EXPECT_EQ(report.metrics.size(), 2U);
  EXPECT_TRUE(report.bleu_signature.empty());
  EXPECT_EQ(validate(text, *text.corpus, {"bleu"}).bleu_signature, "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp");
}

TEST(Validator, LossesAreThoseOfTheScorer) {
  const TextCase text;
  const auto model = text.model();
  const auto report = validate(text, *text.corpus, {"loss", "perplexity", "accuracy"});
  const LossSums sums = evaluate_batches(*model, encode_all(PairEncoder(*text.corpus, text.tokenizers, {}), 50), 0.1);
  const auto labels = static_cast<double>(sums.labels);
  EXPECT_NEAR(report.metrics.at("loss"), sums.loss / labels, 1e-9);
  EXPECT_NEAR(report.metrics.at("perplexity"), std::exp(sums.negative_log_prob / labels), 1e-9);
  EXPECT_EQ(report.metrics.at("accuracy"), static_cast<double>(sums.correct) / labels);
}

TEST(Validator, CleansReferencesAsTrainingText) {
  const TextCase text;
  const auto model = text.model();
  DecodeOptions decoding;
  decoding.beam_size = 1;
  const Translator translator(*model, text.tokenizers, decoding, "clean");
  std::string exact, dirty;
  for (const auto& found : translator.translate({"1 2", "3 4 5", "6"})) {
    exact += found[0].text + "\n";
    dirty += " " + found[0].text + "\u200B \n";
  }
  const std::string sources = "1 2\n3 4 5\n6\n";
  const auto same = validate(text, *text.open("same", sources, exact), {"sequence_accuracy"});
  EXPECT_EQ(same.metrics.at("sequence_accuracy"), 1);
  const auto other = text.open("other", sources, dirty);
  EXPECT_EQ(validate(text, *other, {"sequence_accuracy"}).metrics.at("sequence_accuracy"), 1);
  EXPECT_EQ(validate(text, *other, {"sequence_accuracy"}, "none").metrics.at("sequence_accuracy"), 0);
}

TEST(Validator, CountsTranslationsThatTheLengthCapCut) {
  const TextCase text;
  const auto model = text.model();
  Real& end = model->params().data()[model->params().find("output.b")->ref.offset + kEos];
  for (const Real bias : {Real(-30), Real(30)}) {
    end = bias;
    ValidationOptions options;
    options.metrics = {"bleu"};
    const auto report = Validator(*model, text.tokenizers, *text.corpus, {}, options, {}, 0.1).run().value();
    EXPECT_EQ(report.cut.value(), bias < 0 ? text.corpus->size() : 0U);
    EXPECT_TRUE(report.remarks.empty());
  }
  EXPECT_FALSE(validate(text, *text.corpus, {"perplexity"}).cut) << "nothing was translated";
}

TEST(Validator, TakesNoMetricThatIsNotFinite) {
  const TextCase text;
  const auto model = text.model();
  const ParamRef bias = model->params().find("output.b")->ref;
  Real* b = model->params().data() + bias.offset;
  const auto run = [&](const std::string& metric) {
    ValidationOptions options;
    options.metrics = {metric};
    return Validator(*model, text.tokenizers, *text.corpus, {}, options, {}, 0.1).run();
  };
  b[kEos] = -5000;  // exp(-5000) is a probability with a finite loss, but perplexities of exp(1000) are none
  EXPECT_TRUE(run("loss"));
  EXPECT_THROW((void)run("perplexity"), NotFinite);
  if (sizeof(Real) > sizeof(float)) return;  // in double the plain loss overflows, too
  std::fill_n(b, bias.cols * bias.rows, -std::numeric_limits<Real>::max() / 4);  // their sum is in the smoothed loss
  b[kEos] = 0;
  EXPECT_TRUE(run("accuracy"));
  EXPECT_THROW((void)run("loss"), NotFinite);
}

TEST(BetterMetric, KnowsWhichWayIsUp) {
  EXPECT_TRUE(better_metric("perplexity", 2, 3));
  EXPECT_FALSE(better_metric("loss", 3, 2));
  EXPECT_TRUE(better_metric("bleu", 3, 2));
  EXPECT_FALSE(better_metric("accuracy", 2, 2));
  EXPECT_FALSE(better_metric("loss", std::nan(""), 2));
  EXPECT_FALSE(better_metric("bleu", std::nan(""), 2));
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
