#include "models/transformer_input.h"

#include "core/rng.h"

namespace DRAGOMAN_NAMESPACE {

TransformerInput::TransformerInput(ParamStore& store, const std::string& side, const TransformerConfig& config,
                                   const ModelConfig& model, const Embedding& table)
    : embedding(table),
      positions(store, side + ".positions", config.positions, config.model_size, config.max_positions,
                {Init::Kind::normal, embedding_deviation(model, config.model_size, false)}),
      dropout{static_cast<Real>(model.dropout.embedding), hash_name(side + ".embedding")} {}

Mat TransformerInput::forward(Values values, std::span<const TokenId> ids, std::span<const Index> offset, Index first,
                              std::span<const std::uint64_t> noise_keys, Workspace& workspace) const {
  const Mat x = workspace.mat(offset.back(), embedding.table.cols);
  embedding.forward(values, ids, x);
  positions.add(values, offset, first, x);
  dropout.apply(x, noise_keys);
  return x;
}

void TransformerInput::backward(std::span<const TokenId> ids, std::span<const Index> offset, Mat dx,
                                std::span<const std::uint64_t> noise_keys, Grads grads) const {
  dropout.apply(dx, noise_keys);
  positions.backward(offset, dx, grads);
  embedding.backward(ids, dx, grads);
}

}  // namespace DRAGOMAN_NAMESPACE
