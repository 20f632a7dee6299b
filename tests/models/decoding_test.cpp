// Decoding step by step: the same numbers as teacher forcing, and rows that never notice their neighbours.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/seq2seq.h"
#include "support/model_variants.h"
#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

#ifdef DRAGOMAN_DOUBLE
constexpr double kBound = 1e-12;
#else
constexpr double kBound = 1e-5;
#endif

using Rows = std::vector<std::vector<Real>>;  // the logits of each step of one sentence

/// What the labels of each sentence make of it: logits of every step. Rows leave when their labels are used up.
std::vector<Rows> decode(const Seq2Seq& model, const Sentences& source, const Sentences& target) {
  Workspace batch_workspace, step_workspace;
  const Memory memory = model.encode(model.values(), source, batch_workspace);
  const std::unique_ptr<DecoderState> state = model.start(model.values(), memory, batch_workspace);
  std::vector<Rows> result(source.count());
  std::vector<Index> alive;  // the sentence of each row
  for (Index i = 0; i < source.count(); ++i) alive.push_back(i);
  for (Index t = 0; !alive.empty(); ++t) {
    std::vector<TokenId> tokens;
    for (const Index i : alive) tokens.push_back(t == 0 ? kBos : target[i][t - 1]);
    step_workspace.reset();
    const Mat logits = model.step(model.values(), *state, tokens, step_workspace);
    std::vector<Index> kept, rows;
    for (Index row = 0; row < logits.rows; ++row) {
      const Index i = alive[row];
      result[i].emplace_back(logits.row(row), logits.row(row) + logits.cols);
      if (target.length(i) == t + 1) continue;
      kept.push_back(i);
      rows.push_back(row);
    }
    if (rows.size() < alive.size()) state->select(rows);
    alive = kept;
  }
  return result;
}

double log_probability(const std::vector<Real>& logits, TokenId label) {
  double sum = 0;
  for (const Real x : logits) sum += std::exp(static_cast<double>(x));
  return static_cast<double>(logits[label]) - std::log(sum);
}

/// Calls test(model, source vocabulary) for every variant.
template <class Test>
void for_every_model(Test test) {
  for (const ModelVariant& variant : model_variants()) {
    SCOPED_TRACE(variant.name);
    const Index source_vocabulary = source_vocabulary_of(variant.config);
    Seq2Seq model(variant.config, source_vocabulary, kTargetVocabulary);
    initialize_with_biases(model.params(), 3);
    test(model, source_vocabulary);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Decoding, StepByStepEqualsTeacherForcingAtEveryPosition) {
  for_every_model([](const Seq2Seq& model, Index source_vocabulary) {
    const Batch batch = tiny_batch(source_vocabulary);
    const std::vector<Rows> logits = decode(model, batch.source, batch.target);
    // Whatever the last label is: each vocabulary entry in turn takes the place of eos.
    for (TokenId label = 0; label < kTargetVocabulary; ++label) {
      Batch probe = batch;
      for (Index i = 0; i < batch.count(); ++i) probe.target.ids[batch.target.offset[i + 1] - 1] = label;
      std::vector<double> log_probs(batch.labels());
      Workspace workspace;
      model.evaluate(model.values(), probe, 0, log_probs, workspace);
      for (Index i = 0; i < batch.count(); ++i) {
        for (Index t = 0; t < batch.target.length(i); ++t) {
          const Index row = batch.target.offset[i] + t;
          ASSERT_NEAR(log_probability(logits[i][t], probe.target.ids[row]), log_probs[row], kBound)
              << "sentence " << i << " position " << t;
        }
      }
    }
  });
}

TEST(Decoding, ALongSentenceOutgrowsTheCacheWithoutATrace) {
  ModelConfig config = tiny_config();
  make_transformer(config, true, true);
  Seq2Seq model(config, kSourceVocabulary, kTargetVocabulary);
  initialize_with_biases(model.params(), 3);
  const Sentences source = random_sentences({3, 5}, kSourceVocabulary, 1);
  const Sentences target = random_sentences({70, 20}, kTargetVocabulary, 2);  // the second leaves in between
  const std::vector<Rows> logits = decode(model, source, target);
  Batch batch{source, target, {0, 1}};
  std::vector<double> log_probs(batch.labels());
  Workspace workspace;
  model.evaluate(model.values(), batch, 0, log_probs, workspace);
  for (Index i = 0; i < batch.count(); ++i) {
    for (Index t = 0; t < target.length(i); ++t) {
      const Index row = target.offset[i] + t;
      ASSERT_NEAR(log_probability(logits[i][t], target.ids[row]), log_probs[row], kBound) << i << " " << t;
    }
  }
}

TEST(Decoding, FutureTargetTokensChangeNoBit) {
  for_every_model([](const Seq2Seq& model, Index source_vocabulary) {
    Batch batch = tiny_batch(source_vocabulary);
    const auto log_probs_of = [&] {
      std::vector<double> log_probs(batch.labels());
      Workspace workspace;
      model.evaluate(model.values(), batch, 0, log_probs, workspace);
      return log_probs;
    };
    const std::vector<double> before = log_probs_of();
    const Index sentence = 1, first_changed = 3;  // of 6 labels; label 3 is the input of position 4
    for (Index t = first_changed; t < batch.target.length(sentence) - 1; ++t) {
      TokenId& id = batch.target.ids[batch.target.offset[sentence] + t];
      id = 3 + (id - 3 + 1) % (kTargetVocabulary - 3);
    }
    const std::vector<double> after = log_probs_of();
    for (Index i = 0; i < batch.count(); ++i) {
      for (Index t = 0; t < batch.target.length(i); ++t) {
        if (i == sentence && t >= first_changed) continue;  // the label itself or what follows
        const Index row = batch.target.offset[i] + t;
        ASSERT_EQ(after[row], before[row]) << "sentence " << i << " position " << t;
      }
    }
    EXPECT_NE(after[batch.target.offset[sentence] + first_changed],
              before[batch.target.offset[sentence] + first_changed]);
  });
}

/// The sentences of `order`.
Sentences reordered(const Sentences& from, const std::vector<Index>& order) {
  Sentences result;
  for (const Index i : order) result.add(from[i]);
  return result;
}

TEST(Decoding, TheRestOfTheBatchChangesNoBit) {
  for_every_model([](const Seq2Seq& model, Index source_vocabulary) {
    // More rows than the matrix kernels take in one piece.
    std::vector<Index> source_lengths, target_lengths, order;
    for (Index i = 0; i < 33; ++i) {
      source_lengths.push_back(1 + (i * 7) % 6);
      target_lengths.push_back(1 + (i * 5) % 7);
      order.push_back(i);
    }
    const Sentences source = random_sentences(source_lengths, source_vocabulary, 1);
    const Sentences target = random_sentences(target_lengths, kTargetVocabulary, 2);
    const std::vector<Rows> together = decode(model, source, target);

    std::reverse(order.begin(), order.end());
    const std::vector<Rows> reversed = decode(model, reordered(source, order), reordered(target, order));
    for (Index i = 0; i < source.count(); ++i) EXPECT_EQ(reversed[source.count() - 1 - i], together[i]) << i;
    for (const std::vector<Index>& few : {std::vector<Index>{5}, {12}, {31, 2}, {2, 31, 7}}) {
      const std::vector<Rows> apart = decode(model, reordered(source, few), reordered(target, few));
      for (std::size_t i = 0; i < few.size(); ++i) EXPECT_EQ(apart[i], together[few[i]]) << "sentence " << few[i];
    }
  });
}

TEST(Decoding, BeamRowsFollowTheirSelection) {
  for_every_model([](const Seq2Seq& model, Index source_vocabulary) {
    const Sentences source = random_sentences({5, 2, 4}, source_vocabulary, 11);
    // Rows are copied, exchanged, dropped and leave their sentence without any.
    const std::vector<std::vector<Index>> selections = {{0, 0, 2, 1, 1, 0}, {5, 3, 3, 0, 2}, {1, 4, 1, 4, 0, 3}, {2}};
    struct Hypothesis {
      Index sentence;
      std::vector<TokenId> tokens;
      Rows logits;
    };
    std::vector<Hypothesis> beam = {{0, {}, {}}, {1, {}, {}}, {2, {}, {}}};
    Workspace batch_workspace, step_workspace;
    const Memory memory = model.encode(model.values(), source, batch_workspace);
    const std::unique_ptr<DecoderState> state = model.start(model.values(), memory, batch_workspace);
    Rng rng(4);
    for (std::size_t t = 0; t <= selections.size(); ++t) {
      std::vector<TokenId> tokens;
      for (Hypothesis& h : beam) {
        if (t > 0) h.tokens.push_back(static_cast<TokenId>(3 + rng.below(kTargetVocabulary - 3)));
        tokens.push_back(t == 0 ? kBos : h.tokens.back());
      }
      step_workspace.reset();
      const Mat logits = model.step(model.values(), *state, tokens, step_workspace);
      for (Index row = 0; row < logits.rows; ++row) {
        beam[row].logits.emplace_back(logits.row(row), logits.row(row) + logits.cols);
        // The same tokens alone.
        std::vector<TokenId> labels = beam[row].tokens;
        labels.push_back(kEos);
        Sentences alone;
        alone.add(labels);
        ASSERT_EQ(decode(model, reordered(source, {beam[row].sentence}), alone)[0], beam[row].logits)
            << "step " << t << " row " << row;
      }
      if (t == selections.size()) break;
      state->select(selections[t]);
      std::vector<Hypothesis> next;
      for (const Index row : selections[t]) next.push_back(beam[row]);
      beam = next;
    }
  });
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
