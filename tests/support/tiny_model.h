// Small models and batches for tests: all sizes different, ragged lengths, at least four steps.
#pragma once

#include <vector>

#include "core/batch.h"
#include "core/rng.h"
#include "models/model_config.h"

namespace dragoman {

inline constexpr Index kSourceVocabulary = 11;
inline constexpr Index kTargetVocabulary = 13;

inline Sentences random_sentences(const std::vector<Index>& lengths, Index vocabulary, std::uint64_t seed) {
  Rng rng(seed);
  Sentences sentences;
  for (const Index length : lengths) {
    std::vector<TokenId> ids;
    for (Index i = 0; i + 1 < length; ++i) ids.push_back(static_cast<TokenId>(3 + rng.below(vocabulary - 3)));
    ids.push_back(kEos);
    sentences.add(ids);
  }
  return sentences;
}

inline Batch tiny_batch(Index source_vocabulary = kSourceVocabulary, Index target_vocabulary = kTargetVocabulary) {
  Batch batch;
  batch.source = random_sentences({5, 2, 4}, source_vocabulary, 11);
  batch.target = random_sentences({3, 6, 4}, target_vocabulary, 12);
  batch.line = {0, 1, 2};
  return batch;
}

/// Makes one or both sides Transformers: encoder of width 6 with 3 heads, decoder of width 8 with 2.
inline void make_transformer(ModelConfig& config, bool encoder, bool decoder) {
  config.init.scale = 0.3;
  if (encoder) {
    config.encoder.type = "transformer";
    config.encoder.layers = 2;
    config.encoder.transformer.model_size = 6;
    config.encoder.transformer.heads = 3;
    config.encoder.transformer.ffn_size = 7;
    config.encoder.transformer.max_positions = 9;
  }
  if (decoder) {
    config.decoder.type = "transformer";
    config.decoder.layers = 2;
    config.decoder.transformer.model_size = 8;
    config.decoder.transformer.heads = 2;
    config.decoder.transformer.ffn_size = 5;
    config.decoder.transformer.max_positions = 9;
  }
}

/// encoder embedding 3, hidden 4 (a direction); decoder embedding 6, hidden 5; additive size 7.
inline ModelConfig tiny_config() {
  ModelConfig config;
  config.encoder.embedding_size = 3;
  config.encoder.hidden_size = 4;
  config.decoder.embedding_size = 6;
  config.decoder.hidden_size = 5;
  config.decoder.attention.size = 7;
  config.init = {"normal", "normal", 0.5, 0.5, 1.0};
  return config;
}

}  // namespace dragoman
