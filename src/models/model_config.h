// What a model is made of: the plain structs behind the `model:` section of a configuration.
#pragma once

#include <cmath>
#include <string>

#include "core/real.h"

namespace dragoman {

/// How a matrix starts (docs/specification.md, Models).
struct InitConfig {
  std::string weights = "xavier";        ///< xavier | normal | uniform | orthogonal
  std::string recurrent = "orthogonal";  ///< the same choices, for the hidden-to-hidden matrices
  double scale = 0.1;                    ///< deviation of normal, half-width of uniform
  double embedding_deviation = 0;        ///< 0: size^-0.5 when scaled or tied to the output, else 0.1
  double forget_bias = 1.0;              ///< LSTM forget gate bias
};

/// Probabilities of dropout, by place.
struct DropoutConfig {
  double embedding = 0;
  double layers = 0;   ///< between recurrent layers
  double context = 0;  ///< encoder output as attention's keys and values
  double readout = 0;  ///< before the output product
  // Transformer sides.
  double residual = 0;   ///< output of a sub-layer, before the sum
  double attention = 0;  ///< attention weights
  double ffn = 0;        ///< after the activation
};

/// One side of type transformer.
struct TransformerConfig {
  Index model_size = 128;  ///< width of embeddings and of all layers
  Index heads = 4;
  Index ffn_size = 256;
  std::string norm = "post";             ///< post | pre
  std::string activation = "relu";       ///< relu | gelu | swish
  std::string positions = "sinusoidal";  ///< sinusoidal | learned | none
  Index max_positions = 1024;            ///< of learned positions
  Index key_size = 0;                    ///< a head; 0: model_size / heads
  Index value_size = 0;                  ///< the same
  std::string score = "scaled_dot";      ///< scaled_dot | dot

  [[nodiscard]] bool pre_norm() const { return norm == "pre"; }
  [[nodiscard]] Index head_key_size() const { return key_size > 0 ? key_size : model_size / heads; }
  [[nodiscard]] Index head_value_size() const { return value_size > 0 ? value_size : model_size / heads; }
};

struct EncoderConfig {
  std::string type = "rnn";  ///< rnn | transformer
  std::string cell = "gru";  ///< rnn | gru | lstm
  Index layers = 1;
  bool bidirectional = true;
  Index embedding_size = 128;
  Index hidden_size = 128;  ///< per direction
  TransformerConfig transformer;

  [[nodiscard]] bool recurrent() const { return type == "rnn"; }
  [[nodiscard]] Index embedding_width() const { return recurrent() ? embedding_size : transformer.model_size; }
  /// Width of one row of the encoder's output: what keys and values are made of.
  [[nodiscard]] Index memory_size() const {
    return recurrent() ? hidden_size * (bidirectional ? 2 : 1) : transformer.model_size;
  }
};

struct AttentionConfig {
  std::string score = "additive";      ///< none | dot | scaled_dot | general | additive
  std::string query = "previous";      ///< previous (Bahdanau) | between (conditional GRU) | current (Luong)
  std::string context = "every_step";  ///< for score none: start | every_step
  Index size = 0;                      ///< width of the additive score; 0: the decoder's hidden_size
};

struct DecoderConfig {
  std::string type = "rnn";
  std::string cell = "gru";
  Index layers = 1;
  Index embedding_size = 128;
  Index hidden_size = 128;
  AttentionConfig attention;
  bool input_feeding = false;
  std::string init = "bridge";  ///< bridge | last | zero
  TransformerConfig transformer;

  [[nodiscard]] bool recurrent() const { return type == "rnn"; }
  [[nodiscard]] Index embedding_width() const { return recurrent() ? embedding_size : transformer.model_size; }
  [[nodiscard]] bool attends() const { return !recurrent() || attention.score != "none"; }
};

struct ModelConfig {
  EncoderConfig encoder;
  DecoderConfig decoder;
  std::string tied_embeddings = "none";  ///< none | target | all
  /// Multiply embeddings by sqrt(size): auto (Transformer sides) | true | false.
  std::string scale_embeddings = "auto";
  DropoutConfig dropout;
  InitConfig init;

  [[nodiscard]] bool scales(bool recurrent_side) const {
    return scale_embeddings == "auto" ? !recurrent_side : scale_embeddings == "true";
  }
};

/// Deviation of the normal draws that an embedding table starts with.
inline double embedding_deviation(const ModelConfig& config, Index size, bool scaled_or_tied) {
  if (config.init.embedding_deviation > 0) return config.init.embedding_deviation;
  return scaled_or_tied ? 1 / std::sqrt(static_cast<double>(size)) : 0.1;
}

}  // namespace dragoman
