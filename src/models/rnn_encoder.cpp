#include "models/rnn_encoder.h"

#include <memory>
#include <string>

#include "core/rng.h"
#include "kernels/rows.h"

namespace DRAGOMAN_NAMESPACE {

RecurrentInit recurrent_init(const InitConfig& init) {
  return {init.weights, init.recurrent, init.scale, init.forget_bias};
}

RnnEncoder::RnnEncoder(ParamStore& store, const ModelConfig& config, const Embedding& embedding)
    : embedding_(embedding) {
  const EncoderConfig& c = config.encoder;
  const Cell& cell = cells().at(c.cell);
  Index input = c.embedding_size;
  for (Index l = 0; l < c.layers; ++l) {
    const std::string name = "encoder." + std::to_string(l);
    layers_.push_back(
        Bidirectional::create(store, name, cell, input, c.hidden_size, c.bidirectional, recurrent_init(config.init)));
    layer_dropout_.push_back({static_cast<Real>(config.dropout.layers), hash_name(name + ".input")});
    input = layers_.back().size();
  }
  embedding_dropout_ = {static_cast<Real>(config.dropout.embedding), hash_name("encoder.embedding")};
}

Memory RnnEncoder::forward(Values values, const Sentences& source, NoiseKeys noise, Workspace& workspace,
                           const EncoderSaved** saved) const {
  const Index tokens = source.tokens();
  auto* s = workspace.make<Saved>();
  s->layers = workspace.array<Bidirectional::Saved>(layers());
  const std::span<Mat> final_h = workspace.array<Mat>(layers());
  const std::span<Mat> final_c = workspace.array<Mat>(layers());

  Mat x = workspace.mat(tokens, embedding_.table.cols);
  embedding_.forward(values, source.ids, x);
  embedding_dropout_.apply(x, noise);
  for (Index l = 0; l < layers(); ++l) {
    const Bidirectional& layer = layers_[l];
    if (l > 0) layer_dropout_[l].apply(x, noise);
    const Mat y = workspace.mat(tokens, layer.size());
    final_h[l] = workspace.mat(source.count(), layer.size());
    final_c[l] = workspace.mat(source.count(), layer.has_memory() ? layer.size() : 0);
    std::construct_at(&s->layers[l]);
    layer.forward(values, source.offset, x, y, final_h[l], final_c[l], workspace, &s->layers[l]);
    x = y;
  }
  if (saved != nullptr) *saved = s;
  return {x, source.offset, final_h, final_c};
}

void RnnEncoder::backward(Values values, const Sentences& source, NoiseKeys noise, const EncoderSaved& saved,
                          const MemoryGrad& dmemory, Grads grads, Workspace& workspace) const {
  const auto& s = static_cast<const Saved&>(saved);
  const Workspace::Scope scope(workspace);
  Mat dy = dmemory.rows;
  for (Index l = layers() - 1; l >= 0; --l) {
    const Mat dx = workspace.mat(dy.rows, layers_[l].direction[0].input.w.rows);
    layers_[l].backward(values, s.layers[l], dy, dmemory.final_h[l], dmemory.final_c[l], dx, grads, workspace);
    if (l > 0) layer_dropout_[l].apply(dx, noise);
    dy = dx;
  }
  embedding_dropout_.apply(dy, noise);
  embedding_.backward(source.ids, dy, grads);
}

}  // namespace DRAGOMAN_NAMESPACE
