#include "models/transformer_layer.h"

#include "core/rng.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

Init weights_init(const InitConfig& init) { return init_by_name(init.weights, init.scale, 1); }

}  // namespace

AttentionBlock AttentionBlock::create(ParamStore& store, const std::string& name, const TransformerConfig& config,
                                      const ModelConfig& model, Index memory_width) {
  const HeadOptions heads{config.heads, config.head_key_size(), config.head_value_size(), &scores().at(config.score),
                          static_cast<Real>(model.dropout.attention)};
  return {
      MultiHead::create(store, name, heads, config.model_size, memory_width, weights_init(model.init)),
      Residual::create(store, name, config.model_size, config.pre_norm(), static_cast<Real>(model.dropout.residual))};
}

void AttentionBlock::backward(const BlockContext& context, const Saved& saved, ConstMat dy, Mat dx, ConstMat memory,
                              Mat dmemory, Grads grads) const {
  Workspace& workspace = context.workspace;
  const Workspace::Scope scope(workspace);
  const Mat dfx = workspace.mat(dy.rows, dy.cols);
  const Mat dfrom = workspace.mat(dy.rows, dy.cols);
  const MultiHead::KeysValues& kv = saved.attention.kv;
  const MultiHead::KeysValues dkv{workspace.zeros(kv.keys.rows, kv.keys.cols),
                                  workspace.zeros(kv.values.rows, kv.values.cols)};
  residual.after_backward(context.values, saved.residual, dy, context.noise_keys, dx, dfx, grads);
  attention.backward(context.values, saved.attention, dfx, dfrom, dkv, grads, workspace);
  const bool own_rows = memory.empty();
  attention.project_backward(context.values, own_rows ? saved.attention.x : memory, dkv, own_rows ? dfrom : dmemory,
                             grads);
  residual.before_backward(context.values, saved.residual, dfrom, dx, grads);
}

FeedForwardBlock FeedForwardBlock::create(ParamStore& store, const std::string& name, const TransformerConfig& config,
                                          const ModelConfig& model) {
  return {
      FeedForward::create(store, name, config.model_size, config.ffn_size, activation_by_name(config.activation),
                          static_cast<Real>(model.dropout.ffn), weights_init(model.init)),
      Residual::create(store, name, config.model_size, config.pre_norm(), static_cast<Real>(model.dropout.residual))};
}

Mat FeedForwardBlock::forward(const BlockContext& context, ConstMat x, Saved& saved) const {
  const ConstMat from = residual.before(context.values, x, context.workspace, saved.residual);
  const Mat fx = feed_forward.forward(context.values, from, context.noise_keys, context.workspace, saved.feed_forward);
  return residual.after(context.values, x, fx, context.noise_keys, context.workspace, saved.residual);
}

void FeedForwardBlock::backward(const BlockContext& context, const Saved& saved, ConstMat dy, Mat dx,
                                Grads grads) const {
  Workspace& workspace = context.workspace;
  const Workspace::Scope scope(workspace);
  const Mat dfx = workspace.mat(dy.rows, dy.cols);
  const Mat dfrom = workspace.mat(dy.rows, dy.cols);
  residual.after_backward(context.values, saved.residual, dy, context.noise_keys, dx, dfx, grads);
  feed_forward.backward(context.values, saved.feed_forward, dfx, context.noise_keys, dfrom, grads, workspace);
  residual.before_backward(context.values, saved.residual, dfrom, dx, grads);
}

std::span<KeyRange> sentence_ranges(std::span<const Index> offset, Workspace& workspace) {
  return memory_ranges(offset, offset, workspace);
}

std::span<KeyRange> causal_ranges(std::span<const Index> offset, Workspace& workspace) {
  const std::span<KeyRange> ranges = sentence_ranges(offset, workspace);
  for (Index row = 0; row < offset.back(); ++row) ranges[row].end = row + 1;
  return ranges;
}

std::span<KeyRange> memory_ranges(std::span<const Index> offset, std::span<const Index> memory_offset,
                                  Workspace& workspace) {
  const std::span<KeyRange> ranges = workspace.array<KeyRange>(offset.back());
  for (std::size_t i = 0; i + 1 < offset.size(); ++i) {
    for (Index row = offset[i]; row < offset[i + 1]; ++row) ranges[row] = {memory_offset[i], memory_offset[i + 1]};
  }
  return ranges;
}

}  // namespace DRAGOMAN_NAMESPACE
