#include "models/transformer_encoder.h"

#include <memory>
#include <string>

#include "kernels/rows.h"
#include "kernels/vector_math.h"

namespace DRAGOMAN_NAMESPACE {

TransformerEncoder::TransformerEncoder(ParamStore& store, const ModelConfig& config, const Embedding& embedding)
    : size_(config.encoder.transformer.model_size),
      input_(store, "encoder", config.encoder.transformer, config, embedding) {
  const TransformerConfig& c = config.encoder.transformer;
  for (Index l = 0; l < config.encoder.layers; ++l) {
    const std::string name = "encoder." + std::to_string(l);
    layers_.push_back({AttentionBlock::create(store, name + ".self", c, config, size_),
                       FeedForwardBlock::create(store, name + ".ffn", c, config)});
  }
  if (c.pre_norm()) norm_ = LayerNorm::create(store, "encoder.norm", size_);
}

Memory TransformerEncoder::forward(Values values, const Sentences& source, NoiseKeys noise, Workspace& workspace,
                                   const EncoderSaved** saved) const {
  auto* s = workspace.make<Saved>();
  s->layers = workspace.array<LayerSaved>(static_cast<Index>(layers_.size()));
  const std::span<const KeyRange> ranges = sentence_ranges(source.offset, workspace);
  const BlockContext context{values, noise, workspace};

  ConstMat x = input_.forward(values, source.ids, source.offset, 0, context.noise_keys, workspace);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    LayerSaved& kept = *std::construct_at(&s->layers[l]);
    const auto same_rows = [&](ConstMat from) { return layer.self.attention.project(values, from, workspace); };
    x = layer.self.forward(context, x, ranges, same_rows, kept.self);
    x = layer.ffn.forward(context, x, kept.ffn);
  }
  if (norm_) x = norm_->forward(values, x, workspace, s->norm);

  const std::span<Mat> final_h = workspace.array<Mat>(1);
  const std::span<Mat> final_c = workspace.array<Mat>(1);
  final_h[0] = workspace.zeros(source.count(), size_);
  final_c[0] = {};
  for (Index i = 0; i < source.count(); ++i) {
    const Real share = 1 / static_cast<Real>(source.length(i));
    for (Index row = source.offset[i]; row < source.offset[i + 1]; ++row) {
      add_scaled(share, x.row(row), final_h[0].row(i), size_);
    }
  }
  if (saved != nullptr) *saved = s;
  return {x, source.offset, final_h, final_c};
}

void TransformerEncoder::backward(Values values, const Sentences& source, NoiseKeys noise, const EncoderSaved& saved,
                                  const MemoryGrad& dmemory, Grads grads, Workspace& workspace) const {
  const auto& s = static_cast<const Saved&>(saved);
  const Workspace::Scope scope(workspace);
  const BlockContext context{values, noise, workspace};
  const Mat dx = dmemory.rows;
  for (Index i = 0; i < source.count(); ++i) {
    const Real share = 1 / static_cast<Real>(source.length(i));
    for (Index row = source.offset[i]; row < source.offset[i + 1]; ++row) {
      add_scaled(share, dmemory.final_h[0].row(i), dx.row(row), size_);
    }
  }
  if (norm_) norm_->backward(values, s.norm, dx, dx, grads);
  const Mat between = workspace.mat(dx.rows, dx.cols);
  for (std::size_t l = layers_.size(); l-- > 0;) {
    layers_[l].ffn.backward(context, s.layers[l].ffn, dx, between, grads);
    layers_[l].self.backward(context, s.layers[l].self, between, dx, {}, {}, grads);
  }
  input_.backward(source.ids, source.offset, dx, context.noise_keys, grads);
}

void TransformerEncoder::visit_attention(const Sentences& source, const EncoderSaved& saved, Index sentence,
                                         Workspace& workspace, const VisitHead& visit) const {
  const auto& s = static_cast<const Saved&>(saved);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    visit_heads("encoder", static_cast<Index>(l), layers_[l].self.attention, s.layers[l].self.attention,
                source.offset[sentence], source.length(sentence), source.length(sentence), workspace, visit);
  }
}

}  // namespace DRAGOMAN_NAMESPACE
