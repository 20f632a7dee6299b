// What a Transformer stack reads: embeddings and positions.
#pragma once

#include <span>
#include <string>

#include "layers/dropout.h"
#include "layers/embedding.h"
#include "layers/positional.h"
#include "models/model_config.h"

namespace DRAGOMAN_NAMESPACE {

/// x_t = dropout(scale E[id_t] + p_t)
struct TransformerInput {
  Embedding embedding;
  Positions positions;
  Dropout dropout;

  /// `side`: encoder or decoder, the beginning of the names.
  TransformerInput(ParamStore& store, const std::string& side, const TransformerConfig& config,
                   const ModelConfig& model, const Embedding& embedding);

  /// The first token of each sentence is at position `first`.
  Mat forward(Values values, std::span<const TokenId> ids, std::span<const Index> offset, Index first,
              std::span<const std::uint64_t> noise_keys, Workspace& workspace) const;
  /// dx is used up.
  void backward(std::span<const TokenId> ids, std::span<const Index> offset, Mat dx,
                std::span<const std::uint64_t> noise_keys, Grads grads) const;
};

}  // namespace DRAGOMAN_NAMESPACE
