// Losses and log-probabilities of given pairs.
#include "translate/scorer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/pair_encoder.h"
#include "support/search_case.h"
#include "support/text_case.h"
#include "translate/translator.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

std::vector<Batch> batches_of(const TextCase& text, std::size_t batch_tokens) {
  return encode_all(PairEncoder(*text.corpus, text.tokenizers, {}), batch_tokens);
}

TEST(Scorer, SumsTheLogProbabilitiesOfEachPairInOrder) {
  const TextCase text;
  const auto model = text.model();
  const std::vector<Batch> batches = batches_of(text, 30);
  ASSERT_GT(batches.size(), 2U);
  std::vector<PairScore> scores;
  const LossSums total = evaluate_batches(*model, batches, 0, &scores);
  std::size_t pair = 0;
  double negative = 0;
  for (const Batch& batch : batches) {
    for (Index i = 0; i < batch.count(); ++i, ++pair) {
      const auto labels = batch.target[i];
      const double expected = forced_log_prob(*model, one_of(batch.source, i), {labels.begin(), labels.end() - 1});
      EXPECT_NEAR(scores.at(pair).log_prob, expected, kDecodingBound) << "pair " << pair;
      EXPECT_EQ(scores[pair].labels, batch.target.length(i));
      negative -= expected;
    }
  }
  EXPECT_EQ(scores.size(), pair);
  EXPECT_NEAR(total.negative_log_prob, negative, 1e-5 * negative);
  EXPECT_NEAR(total.loss, negative, 1e-5 * negative) << "without smoothing the loss is the same";
}

TEST(Scorer, PackedWeightsChangeNoBit) {
  const TextCase text;
  const auto model = text.model();
  const std::vector<Batch> batches = batches_of(text, 30);
  std::vector<PairScore> scores;
  const LossSums total = evaluate_batches(*model, batches, 0.1, &scores);
  LossSums expected;
  std::size_t pair = 0;
  for (const Batch& batch : batches) {
    std::vector<double> log_probs(static_cast<std::size_t>(batch.labels()));
    Workspace workspace;
    expected.add(model->evaluate(model->values(), batch, 0.1, log_probs, workspace));
    for (Index i = 0; i < batch.count(); ++i, ++pair) {
      double sum = 0;
      for (Index row = batch.target.offset[i]; row < batch.target.offset[i + 1]; ++row) sum += log_probs[row];
      EXPECT_EQ(scores.at(pair).log_prob, sum) << "pair " << pair;
    }
  }
  EXPECT_EQ(total.loss, expected.loss);
  EXPECT_EQ(total.negative_log_prob, expected.negative_log_prob);
}

TEST(Scorer, SmoothingChangesTheLossAlone) {
  const TextCase text;
  const auto model = text.model();
  const std::vector<Batch> batches = batches_of(text, 30);
  const LossSums plain = evaluate_batches(*model, batches, 0);
  const LossSums smoothed = evaluate_batches(*model, batches, 0.2);
  EXPECT_EQ(smoothed.negative_log_prob, plain.negative_log_prob);
  EXPECT_EQ(smoothed.correct, plain.correct);
  EXPECT_EQ(smoothed.labels, plain.labels);
  EXPECT_GT(std::fabs(smoothed.loss - plain.loss), 1e-3 * plain.loss);
}

TEST(Scorer, NeitherBatchSizeNorThreadsChangeABitOfAPair) {
  const TextCase text;
  const auto model = text.model();
  std::vector<PairScore> expected;
  const LossSums total = evaluate_batches(*model, batches_of(text, 2048), 0.1, &expected);
  for (const int threads : {1, 2, 3}) {
    const ThreadsGuard guard(threads);
    for (const std::size_t batch_tokens : {1, 20, 2048}) {
      std::vector<PairScore> scores;
      const LossSums sums = evaluate_batches(*model, batches_of(text, batch_tokens), 0.1, &scores);
      ASSERT_EQ(scores.size(), expected.size());
      for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_EQ(scores[i].log_prob, expected[i].log_prob) << i;
      if (batch_tokens != 2048) continue;  // the sums of other batches are added in another order
      EXPECT_EQ(sums.loss, total.loss) << threads << " threads";
    }
  }
}

TEST(Scorer, AgreesWithWhatTranslateSays) {
  const TextCase text;
  const auto model = text.model();
  DecodeOptions options;
  options.max_length_extra = 3;
  const Translation best = Translator(*model, text.tokenizers, options, "clean").translate({"3 1 4"})[0][0];
  const auto pair = text.open("scored", "3 1 4\n", best.text + "\n");
  std::vector<PairScore> scores;
  evaluate_batches(*model, encode_all(PairEncoder(*pair, text.tokenizers, {}), 100), 0, &scores);
  ASSERT_EQ(scores.size(), 1U);
  EXPECT_NEAR(scores[0].log_prob, best.log_prob, kDecodingBound);
  EXPECT_EQ(scores[0].labels, static_cast<Index>(best.target.size()) + 1);
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
