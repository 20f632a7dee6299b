// Configurations that between them use every option of a model.
#pragma once

#include <string>
#include <vector>

#include "support/tiny_model.h"

namespace dragoman {

struct ModelVariant {
  std::string name;
  ModelConfig config;
};

/// Transformers with each option of a layer against the others (norm, activation, positions, score, widths of the
/// heads), tying, scaling and depth; then Transformers with recurrent sides, either way.
inline std::vector<ModelVariant> transformer_variants() {
  std::vector<ModelVariant> variants;
  int i = 0;
  for (const std::string norm : {"post", "pre"}) {
    for (const std::string activation : {"relu", "gelu", "swish"}) {
      for (const std::string positions : {"sinusoidal", "learned", "none"}) {
        ++i;
        ModelConfig config = tiny_config();
        make_transformer(config, true, true);
        const std::string tied = i % 3 == 0 ? "none" : i % 3 == 1 ? "target" : "all";
        for (TransformerConfig* side : {&config.encoder.transformer, &config.decoder.transformer}) {
          side->norm = norm;
          side->activation = activation;
          side->positions = positions;
          side->score = i % 2 == 0 ? "dot" : "scaled_dot";
          if (i % 4 >= 2) side->key_size = 5;
          if (i % 4 % 3 == 0) side->value_size = 3;
        }
        config.tied_embeddings = tied;
        if (tied == "all") config.encoder.transformer.model_size = config.decoder.transformer.model_size = 12;
        config.scale_embeddings = i % 5 == 0 ? "false" : "auto";
        config.encoder.layers = 1 + i % 2;
        config.decoder.layers = 1 + i % 3 / 2;
        variants.push_back({"transformer " + norm + " " + activation + " " + positions + " tied " + tied, config});
        // One side recurrent.
        ModelConfig hybrid = config;
        const bool recurrent_encoder = i % 2 == 0;
        if (tied == "all") hybrid.tied_embeddings = "target";
        if (recurrent_encoder) {
          hybrid.encoder.type = "rnn";
          hybrid.encoder.cell = i % 3 == 0 ? "lstm" : "gru";
          hybrid.encoder.layers = 1 + i % 4 / 2;
        } else {
          hybrid.decoder.type = "rnn";
          hybrid.decoder.cell = i % 3 == 0 ? "lstm" : "gru";
          hybrid.decoder.attention.query = i % 6 == 1 ? "previous" : i % 6 == 3 ? "between" : "current";
          hybrid.decoder.attention.score = i % 4 == 1 ? "general" : i % 8 == 3 ? "none" : "additive";
          hybrid.decoder.init = i % 9 == 5 ? "last" : "bridge";
          if (hybrid.decoder.init == "last") hybrid.decoder.hidden_size = hybrid.encoder.transformer.model_size;
        }
        variants.push_back(
            {(recurrent_encoder ? "rnn to " : "") + variants.back().name + (recurrent_encoder ? "" : " to rnn"),
             hybrid});
      }
    }
  }
  return variants;
}

/// Every cell with every score, query, context and input feeding; then layers, directions, tying, initial states
/// and scaled embeddings against each other. Sizes are those of tiny_config(), or three times as large.
inline std::vector<ModelVariant> recurrent_variants() {
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
          config.scale_embeddings = i % 2 == 1 ? "true" : "false";
          variants.push_back({cell + " " + query + " " + init + " tied " + tied, config});
        }
      }
    }
  }
  return variants;
}

inline std::vector<ModelVariant> model_variants() {
  std::vector<ModelVariant> variants = recurrent_variants();
  for (ModelVariant& variant : transformer_variants()) variants.push_back(std::move(variant));
  return variants;
}

/// The vocabulary of the source: the target's when embeddings are shared.
inline Index source_vocabulary_of(const ModelConfig& config) {
  return config.tied_embeddings == "all" ? kTargetVocabulary : kSourceVocabulary;
}

}  // namespace dragoman
