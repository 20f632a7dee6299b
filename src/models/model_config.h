// What a model is made of: the plain structs behind the `model:` section of a configuration.
#pragma once

#include <string>

#include "core/real.h"

namespace dragoman {

/// How a matrix starts (docs/specification.md, Initialisation).
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
};

struct EncoderConfig {
  std::string type = "rnn";
  std::string cell = "gru";  ///< rnn | gru | lstm
  Index layers = 1;
  bool bidirectional = true;
  Index embedding_size = 128;
  Index hidden_size = 128;  ///< per direction
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
};

struct ModelConfig {
  EncoderConfig encoder;
  DecoderConfig decoder;
  std::string tied_embeddings = "none";  ///< none | target | all
  bool scale_embeddings = false;         ///< multiply embeddings by sqrt(size)
  DropoutConfig dropout;
  InitConfig init;
};

}  // namespace dragoman
