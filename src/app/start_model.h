// The model that a training starts from (training.init_from).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/config.h"
#include "data/tokenizer_pair.h"
#include "models/seq2seq.h"

namespace dragoman {

/// The file with the parameters: of a model directory its model.safetensors, else the file itself.
std::filesystem::path start_weights(const std::string& init_from);

/// Fills in the parameters that the file has. Rows of embeddings (and of the output) are taken by piece: the file's
/// vocabulary is the tokenizer beside it or, for a checkpoint's file, that of its model directory. What starts at random
/// is told in `warnings`. UserError: the vocabularies can't be compared.
void start_from(const Config& config, const TokenizerPair& tokenizers, Seq2Seq& model,
                std::vector<std::string>& warnings);

}  // namespace dragoman
