// The same batch gives the same bits again; shards give the same sums; threads change nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "kernels/packed_weights.h"
#include "models/seq2seq.h"
#include "support/model_variants.h"
#include "support/numbers.h"
#include "support/step_options.h"
#include "train/step.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

#ifdef DRAGOMAN_DOUBLE
constexpr double kBound = 1e-10;
#else
constexpr double kBound = 1e-5;
#endif
constexpr double kSmoothing = 0.1;

Batch batch_of(Index count, Index source_vocabulary) {
  std::vector<Index> source_lengths, target_lengths;
  Batch batch;
  for (Index i = 0; i < count; ++i) {
    source_lengths.push_back(1 + (i * 7) % 9);
    target_lengths.push_back(1 + (i * 5) % 8);
    batch.line.push_back(static_cast<std::uint64_t>(i));
  }
  batch.source = random_sentences(source_lengths, source_vocabulary, 1);
  batch.target = random_sentences(target_lengths, kTargetVocabulary, 2);
  return batch;
}

/// Every so many variants, with dropout.
std::vector<ModelVariant> some_variants(std::size_t stride = 7) {
  std::vector<ModelVariant> some;
  const std::vector<ModelVariant> all = model_variants();
  for (std::size_t i = 0; i < all.size(); i += stride) {
    some.push_back(all[i]);
    some.back().config.dropout = {0.2, 0.3, 0.25, 0.15, 0.1, 0.3, 0.2};
  }
  return some;
}

struct Pass {
  LossSums sums;
  std::vector<Real> gradient;
};

/// Sentences first, first + step, ... of the batch, each with the random numbers of its place in the whole batch.
Pass run(const Seq2Seq& model, const Batch& batch, Index first, Index step, Workspace& workspace,
         const PackedWeights* packed = nullptr) {
  Batch part;
  std::vector<std::uint64_t> ids;
  for (Index i = first; i < batch.count(); i += step) {
    part.source.add(batch.source[i]);
    part.target.add(batch.target[i]);
    ids.push_back(static_cast<std::uint64_t>(i));
  }
  Pass result;
  result.gradient.resize(model.params().size());
  const Values values = packed == nullptr ? model.values() : packed->with(model.values());
  result.sums = model.forward_backward(values, part, {99, ids}, kSmoothing, {result.gradient.data(), values.precision},
                                       workspace);
  return result;
}

TEST(Determinism, ARepeatedPassGivesTheSameBits) {
  for (const ModelVariant& variant : some_variants()) {
    SCOPED_TRACE(variant.name);
    const Index vocabulary = source_vocabulary_of(variant.config);
    const Batch batch = batch_of(9, vocabulary);
    Seq2Seq first(variant.config, vocabulary, kTargetVocabulary);
    Seq2Seq second(variant.config, vocabulary, kTargetVocabulary);
    first.params().initialize(3);
    second.params().initialize(3);
    Workspace workspace, used;
    const Pass a = run(first, batch, 0, 1, workspace);
    run(second, batch_of(17, vocabulary), 0, 1, used);  // other numbers in a used workspace don't matter
    used.reset();
    const Pass b = run(second, batch, 0, 1, used);
    EXPECT_EQ(a.sums.loss, b.sums.loss);
    EXPECT_EQ(a.gradient, b.gradient);
  }
}

TEST(Determinism, PackedWeightsChangeNoBit) {
  for (const ModelVariant& variant : some_variants(3)) {
    SCOPED_TRACE(variant.name);
    const Index vocabulary = source_vocabulary_of(variant.config);
    const Batch batch = batch_of(9, vocabulary);
    Seq2Seq model(variant.config, vocabulary, kTargetVocabulary);
    model.params().initialize(3);
    PackedWeights packed(model.params(), true);
    packed.repack(model.values());
    Workspace workspace;
    const Pass a = run(model, batch, 0, 1, workspace);
    workspace.reset();
    const Pass b = run(model, batch, 0, 1, workspace, &packed);
    EXPECT_EQ(a.sums.loss, b.sums.loss);
    EXPECT_EQ(a.gradient, b.gradient);
  }
}

/// |a - b| / |b|
double relative_difference(const std::vector<Real>& a, const std::vector<Real>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(static_cast<double>(a[i] - b[i]), 2);
    size += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(difference / size);
}

TEST(Determinism, Bfloat16ChangesAboutAsMuchAsRoundingTheWeights) {
  // How much that is depends on the variant: 0.1 % of the gradient, or half of it where the draws make it explode.
  for (const ModelVariant& variant : some_variants(3)) {
    SCOPED_TRACE(variant.name);
    const Index vocabulary = source_vocabulary_of(variant.config);
    const Batch batch = batch_of(9, vocabulary);
    Seq2Seq model(variant.config, vocabulary, kTargetVocabulary);
    model.params().initialize(3);
    PackedWeights packed(model.params(), true, Precision::bfloat16);
    packed.repack(model.values());
    Workspace workspace;
    const Pass exact = run(model, batch, 0, 1, workspace);
    workspace.reset();
    const Pass bfloat16 = run(model, batch, 0, 1, workspace, &packed);
    workspace.reset();
    for (std::size_t i = 0; i < model.params().size(); ++i) {
      Real& x = model.params().data()[i];
      x = static_cast<Real>(round_to_bfloat16(static_cast<float>(x)));
    }
    const Pass rounded = run(model, batch, 0, 1, workspace);
    EXPECT_NE(bfloat16.sums.loss, exact.sums.loss);
    EXPECT_NEAR(bfloat16.sums.loss, exact.sums.loss, 0.01 * exact.sums.loss);
    const double change = relative_difference(bfloat16.gradient, exact.gradient);
    EXPECT_GT(change, 1e-3);
    EXPECT_LT(change, 4 * relative_difference(rounded.gradient, exact.gradient));
  }
}

TEST(Determinism, ShardsAddUpToTheGradientOfTheWholeBatch) {
  for (const ModelVariant& variant : some_variants()) {
    SCOPED_TRACE(variant.name);
    const Index vocabulary = source_vocabulary_of(variant.config);
    const Batch batch = batch_of(9, vocabulary);
    Seq2Seq model(variant.config, vocabulary, kTargetVocabulary);
    model.params().initialize(3);
    Workspace workspace;
    const Pass whole = run(model, batch, 0, 1, workspace);
    for (const Index shards : {2, 4, 16}) {  // of 16 some are empty
      Pass sum;
      sum.gradient.resize(whole.gradient.size());
      for (Index s = 0; s < shards; ++s) {
        workspace.reset();
        const Pass shard = run(model, batch, s, shards, workspace);
        sum.sums.add(shard.sums);
        for (std::size_t i = 0; i < sum.gradient.size(); ++i) sum.gradient[i] += shard.gradient[i];
      }
      EXPECT_NEAR(sum.sums.loss, whole.sums.loss, kBound * whole.sums.loss);
      EXPECT_EQ(sum.sums.labels, whole.sums.labels);
      EXPECT_EQ(sum.sums.correct, whole.sums.correct);
      double largest = 0;
      for (const Real g : whole.gradient) largest = std::max(largest, std::fabs(static_cast<double>(g)));
      for (const Param& p : model.params().params()) {
        double most = 0;
        const std::size_t end = p.ref.offset + static_cast<std::size_t>(p.ref.rows * p.ref.cols);
        for (std::size_t i = p.ref.offset; i < end; ++i) {
          most = std::max(most, std::fabs(static_cast<double>(whole.gradient[i])));
        }
        if (p.name.ends_with(".self.key.b") || p.name.ends_with(".cross.key.b"))
          most = largest;  // zero but for rounding: softmax does not see it
        for (std::size_t i = p.ref.offset; i < end; ++i) {
          ASSERT_NEAR(sum.gradient[i], whole.gradient[i], kBound * most) << p.name << " with " << shards << " shards";
        }
      }
    }
  }
}

/// The parameters after three updates of two micro-batches each.
std::vector<Real> train(const ModelConfig& config, int threads, const std::string& precision = "float32") {
  const int threads_before = max_threads();
  set_threads(threads);
  const Index vocabulary = source_vocabulary_of(config);
  Seq2Seq model(config, vocabulary, kTargetVocabulary);
  model.params().initialize(3);
  OptimizerOptions adam;
  TrainOptions options = step_options(adam, 4, 1.0);
  options.precision = precision;
  options.piece_tokens = 12;
  TrainStep step(model, options, 5);
  for (std::int64_t update = 1; update <= 3; ++update) {
    step.accumulate(batch_of(9, vocabulary), update);
    step.accumulate(batch_of(3, vocabulary), update);
    EXPECT_EQ(step.finish(update, 0.01).problem, "");
  }
  set_threads(threads_before);
  return {model.params().data(), model.params().data() + model.params().size()};
}

TEST(Determinism, ThreadsChangeNoBitOfTraining) {
  std::vector<ModelVariant> variants = some_variants(29);
  for (const bool recurrent_encoder : {false, true}) {
    ModelConfig config = tiny_config();
    make_transformer(config, !recurrent_encoder, true);
    config.dropout = {0.2, 0.3, 0.25, 0.15, 0.1, 0.3, 0.2};
    variants.push_back({recurrent_encoder ? "rnn to transformer" : "transformer", config});
  }
  for (const ModelVariant& variant : variants) {
    SCOPED_TRACE(variant.name);
    const std::vector<Real> one = train(variant.config, 1);
    EXPECT_EQ(train(variant.config, 2), one);
    EXPECT_EQ(train(variant.config, 3), one);
    const std::vector<Real> rounded = train(variant.config, 1, "bfloat16");
    EXPECT_NE(rounded, one);
    EXPECT_EQ(train(variant.config, 3, "bfloat16"), rounded);
  }
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
