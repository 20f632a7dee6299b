// A model directory, ready to use.
#pragma once

#include <filesystem>
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

/// Reads config.yaml, the tokenizers and model.safetensors of a model directory or of one of its checkpoints. UserError:
/// neither, or damaged.
LoadedModel load_model_directory(const std::string& directory);

/// A model directory without model.safetensors: the parameters have no values.
LoadedModel load_model_without_weights(const std::filesystem::path& directory);

}  // namespace dragoman
