// A model directory, ready to use.
#pragma once

#include <memory>
#include <string>

#include "config/config.h"
#include "data/tokenizer_pair.h"
#include "models/seq2seq.h"

namespace dragoman {

struct LoadedModel {
  Config config;
  TokenizerPair tokenizers;
  std::unique_ptr<Seq2Seq> model;
};

/// Reads config.yaml, the tokenizers and model.safetensors. UserError: not a model directory, or damaged.
LoadedModel load_model_directory(const std::string& directory);

/// The same without model.safetensors: the parameters have no values.
LoadedModel load_model_without_weights(const std::string& directory);

}  // namespace dragoman
