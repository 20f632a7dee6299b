// Models and sources for tests of decoding.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "decode/decode_options.h"
#include "decode/hypothesis.h"
#include "models/seq2seq.h"
#include "support/numbers.h"
#include "support/tiny_model.h"

namespace DRAGOMAN_NAMESPACE {

#ifdef DRAGOMAN_DOUBLE
inline constexpr double kDecodingBound = 1e-12;
#else
inline constexpr double kDecodingBound = 1e-5;
#endif

/// A random model (another cell and query for each seed) with sharp enough outputs that hypotheses differ.
inline std::unique_ptr<Seq2Seq> search_model(Index target_vocabulary, std::uint64_t seed) {
  const char* const cells[] = {"rnn", "gru", "lstm"};
  const char* const queries[] = {"previous", "current", "between"};
  ModelConfig config = tiny_config();
  config.encoder.cell = config.decoder.cell = cells[seed % 3];
  config.decoder.attention.query = queries[seed / 2 % 3];
  config.init = {"normal", "normal", 1.0, 1.0, 1.0};
  auto model = std::make_unique<Seq2Seq>(config, kSourceVocabulary, target_vocabulary);
  initialize_with_biases(model->params(), seed);
  return model;
}

inline Sentences search_source(Index count, std::uint64_t seed) {
  std::vector<Index> lengths;
  for (Index i = 0; i < count; ++i) lengths.push_back(1 + (5 * i + 3) % 7);
  return random_sentences(lengths, kSourceVocabulary, seed);
}

inline Sentences one_of(const Sentences& sentences, Index i) {
  Sentences one;
  one.add(sentences[i]);
  return one;
}

/// What teacher forcing says of the pieces and the eos that ends them.
inline double forced_log_prob(const Seq2Seq& model, const Sentences& source, const std::vector<TokenId>& pieces) {
  Batch batch;
  batch.source = source;
  std::vector<TokenId> labels = pieces;
  labels.push_back(kEos);
  batch.target.add(labels);
  std::vector<double> log_probs(labels.size());
  Workspace workspace;
  model.evaluate(model.values(), batch, 0, log_probs, workspace);
  double sum = 0;
  for (const double x : log_probs) sum += x;
  return sum;
}

/// Log-probabilities of every id after the pieces, by teacher forcing.
inline std::vector<double> next_log_probs(const Seq2Seq& model, const Sentences& source,
                                          const std::vector<TokenId>& pieces) {
  std::vector<double> result;
  for (TokenId id = 0; id < model.target_vocabulary(); ++id) {
    Batch batch;
    batch.source = source;
    std::vector<TokenId> labels = pieces;
    labels.push_back(id);
    batch.target.add(labels);
    std::vector<double> log_probs(labels.size());
    Workspace workspace;
    model.evaluate(model.values(), batch, 0, log_probs, workspace);
    result.push_back(log_probs.back());
  }
  return result;
}

inline bool same_hypothesis(const Hypothesis& a, const Hypothesis& b) {
  return a.ids == b.ids && a.log_prob == b.log_prob && a.score == b.score;  // every bit
}

inline bool same_hypotheses(const std::vector<Hypothesis>& a, const std::vector<Hypothesis>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_hypothesis);
}

}  // namespace DRAGOMAN_NAMESPACE
