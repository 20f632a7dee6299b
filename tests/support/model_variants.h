// Configurations that between them use every option of a recurrent model.
#pragma once

#include <string>
#include <vector>

#include "support/tiny_model.h"

namespace dragoman {

struct ModelVariant {
  std::string name;
  ModelConfig config;
};

/// Every cell with every score, query, context and input feeding; then layers, directions, tying, initial states
/// and scaled embeddings against each other. Sizes are those of tiny_config(), or three times as large.
inline std::vector<ModelVariant> model_variants() {
  std::vector<ModelVariant> variants;
  for (const std::string cell : {"rnn", "gru", "lstm"}) {
    for (const std::string query : {"previous", "between", "current"}) {
      for (const std::string score : {"none", "dot", "scaled_dot", "general", "additive"}) {
        for (const std::string context : {"start", "every_step"}) {
          if (score != "none" && context == "start") continue;
          for (const bool feeding : {false, true}) {
            if (feeding && query != "current") continue;
            ModelConfig config = tiny_config();
            config.encoder.cell = config.decoder.cell = cell;
            config.decoder.attention.score = score;
            config.decoder.attention.query = query;
            config.decoder.attention.context = context;
            config.decoder.input_feeding = feeding;
            if (score == "dot" || score == "scaled_dot") config.decoder.hidden_size = 8;  // that of the memory
            variants.push_back(
                {cell + " " + query + " " + score + " " + context + (feeding ? " feeding" : ""), config});
          }
        }
      }
      int i = 0;
      for (const std::string init : {"bridge", "last", "zero"}) {
        for (const std::string tied : {"none", "target", "all"}) {
          ++i;
          ModelConfig config = tiny_config();
          config.decoder.cell = cell;
          config.encoder.cell = i % 3 == 0 ? "gru" : cell;
          config.encoder.layers = 1 + i % 2;
          config.decoder.layers = 1 + i % 3;
          config.encoder.bidirectional = i % 4 != 0;
          config.decoder.attention.query = query;
          config.decoder.attention.score = i % 2 == 0 ? "general" : "additive";
          config.decoder.input_feeding = query == "current" && i % 3 != 0;
          config.decoder.init = init;
          // Wide enough for full panels of the matrix kernels.
          config.encoder.hidden_size = 12;
          config.decoder.hidden_size = init == "last" ? 12 * (config.encoder.bidirectional ? 2 : 1) : 20;
          config.decoder.embedding_size = 18;
          config.encoder.embedding_size = tied == "all" ? 18 : 17;
          config.tied_embeddings = tied;
          config.scale_embeddings = i % 2 == 1;
          variants.push_back({cell + " " + query + " " + init + " tied " + tied, config});
        }
      }
    }
  }
  return variants;
}

/// The vocabulary of the source: the target's when embeddings are shared.
inline Index source_vocabulary_of(const ModelConfig& config) {
  return config.tied_embeddings == "all" ? kTargetVocabulary : kSourceVocabulary;
}

}  // namespace dragoman
