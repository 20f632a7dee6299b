#include "models/rnn_decoder.h"

#include "core/error.h"
#include "core/rng.h"
#include "kernels/rows.h"
#include "models/rnn_encoder.h"

namespace DRAGOMAN_NAMESPACE {

RnnDecoder::RnnDecoder(ParamStore& store, const ModelConfig& config, const Embedding& embedding, Index memory_size,
                       Index encoder_layers, Index final_size, bool final_has_c)
    : embedding_(embedding),
      embedding_dropout_{static_cast<Real>(config.dropout.embedding), hash_name("decoder.embedding")},
      encoder_layers_(encoder_layers) {
  const DecoderConfig& c = config.decoder;
  query_ = c.attention.query == "previous"  ? Query::previous
           : c.attention.query == "between" ? Query::between
                                            : Query::current;
  input_feeding_ = c.input_feeding;
  init_ = c.init;
  copy_c_ = init_ == "last" && cells().at(c.cell).has_memory && final_has_c;
  context_size_ = c.attends() ? memory_size : c.attention.context == "every_step" ? final_size : 0;
  readout_size_ = config.tied_embeddings == "none" ? c.hidden_size : c.embedding_size;
  readout_reads_e_ = query_ != Query::current;
  create_cells(store, config);
  if (c.attends()) create_attention(store, config, memory_size);
  if (init_ == "bridge") {
    const Init plain = init_by_name(config.init.weights, config.init.scale, 1);
    for (Index l = 0; l < c.layers; ++l) {
      bridge_.push_back(Linear::create(store, "decoder.bridge." + std::to_string(l), final_size, c.hidden_size, plain));
    }
  }
  create_readout(store, config);
}

void RnnDecoder::create_cells(ParamStore& store, const ModelConfig& config) {
  const DecoderConfig& c = config.decoder;
  const Cell& cell = cells().at(c.cell);
  const RecurrentInit init = recurrent_init(config.init);
  const Index context = query_ == Query::previous ? context_size_ : 0;
  const Index readout = input_feeding_ ? readout_size_ : 0;
  Index input = c.embedding_size + context + readout;
  for (Index l = 0; l < c.layers; ++l) {
    const std::string name = "decoder." + std::to_string(l);
    layers_.push_back(RecurrentLayer::create(store, name, cell, input, c.hidden_size, init));
    layer_dropout_.push_back({static_cast<Real>(config.dropout.layers), hash_name(name + ".input")});
    input = c.hidden_size;
  }
  const Linear& first = layers_.front().input;
  first_e_ = {first.w.row_range(0, c.embedding_size), first.b};
  first_context_ = {first.w.row_range(c.embedding_size, context), {}};
  first_readout_ = {first.w.row_range(c.embedding_size, readout), {}};
  if (query_ == Query::between) {
    second_ = RecurrentLayer::create(store, "decoder.0.second", cell, context_size_, c.hidden_size, init);
  }
}

void RnnDecoder::create_attention(ParamStore& store, const ModelConfig& config, Index memory_size) {
  const DecoderConfig& c = config.decoder;
  attention_ = AttentionLayer::create(store, "decoder.attention", scores().at(c.attention.score), c.hidden_size,
                                      memory_size, c.attention.size > 0 ? c.attention.size : c.hidden_size,
                                      init_by_name(config.init.weights, config.init.scale, 1));
}

void RnnDecoder::create_readout(ParamStore& store, const ModelConfig& config) {
  const Index s = config.decoder.hidden_size;
  const Index e = readout_reads_e_ ? config.decoder.embedding_size : 0;
  const Linear readout = Linear::create(store, "decoder.readout", s + context_size_ + e, readout_size_,
                                        init_by_name(config.init.weights, config.init.scale, 1));
  // previous, between: [s; c; e]; current: [c; s].
  const Index s_begin = readout_reads_e_ ? 0 : context_size_;
  const Index context_begin = readout_reads_e_ ? s : 0;
  readout_s_ = {readout.w.row_range(s_begin, s), readout.b};
  readout_context_ = {readout.w.row_range(context_begin, context_size_), {}};
  if (readout_reads_e_) readout_e_ = {readout.w.row_range(s + context_size_, e), {}};
}

RnnDecoder::Prepared RnnDecoder::prepare(Values values, const Memory& memory, Workspace& workspace) const {
  Prepared prepared{memory.rows, {}};
  if (attention_) prepared.keys = attention_->project_keys(values, memory.rows, workspace);
  return prepared;
}

void RnnDecoder::constant_context(const Memory& memory, std::span<const Index> sentences, Mat context) const {
  gather(memory.final_h[encoder_layers_ - 1], sentences, context);
}

AttentionInput RnnDecoder::attention_input(Values values, const Prepared& prepared, ConstMat query,
                                           std::span<const KeyRange> ranges) const {
  AttentionInput input = attention_->input(values, query, prepared.keys, prepared.memory, ranges);
  input.by_query = attention_->score->is_product;
  return input;
}

void RnnDecoder::attend_rows(Values values, const Prepared& prepared, ConstMat query, const StepRows& rows,
                             Workspace& workspace) const {
  if (!attention_) return;  // score none: the context rows are given
  attention_->project_queries(values, query, rows.query);
  attend(attention_input(values, prepared, rows.query, rows.ranges), rows.weights, rows.context, workspace);
}

void RnnDecoder::readout_rows(Values values, ConstMat s, ConstMat context, ConstMat e, Mat r) const {
  readout_s_.forward(values, s, r);
  if (has_context()) readout_context_.forward_add(values, context, r);
  if (readout_reads_e_) readout_e_.forward_add(values, e, r);
  tanh_rows(r);
}

void RnnDecoder::step_rows(Values values, const Prepared& prepared, const StepRows& rows, Workspace& workspace) const {
  switch (query_) {
    case Query::previous:
      return step_previous(values, prepared, rows, workspace);
    case Query::between:
      return step_between(values, prepared, rows, workspace);
    case Query::current:
      return step_current(values, prepared, rows, workspace);
  }
}

void RnnDecoder::step_previous(Values values, const Prepared& prepared, const StepRows& rows,
                               Workspace& workspace) const {
  attend_rows(values, prepared, rows.layers[top()].h_prev, rows, workspace);
  if (has_context()) first_context_.forward_add(values, rows.context, rows.gx);
  first_cell(values, rows, rows.layers[0], workspace);
  upper_layers(values, rows, workspace);
}

void RnnDecoder::step_between(Values values, const Prepared& prepared, const StepRows& rows,
                              Workspace& workspace) const {
  const LayerRows &half = rows.between, &first = rows.layers[0];
  first_cell(values, rows, half, workspace);
  attend_rows(values, prepared, half.h, rows, workspace);
  {
    const Workspace::Scope scope(workspace);
    const Mat gx = workspace.mat(rows.gx.rows, second_.gates_size());
    if (has_context()) {
      second_.input.forward(values, rows.context, gx);
    } else {
      fill_rows(second_.input.b.in(values), gx);
    }
    second_.step(values, gx, half.h, half.c, first.h, first.c, first.saved, workspace);
  }
  upper_layers(values, rows, workspace);
}

void RnnDecoder::step_current(Values values, const Prepared& prepared, const StepRows& rows,
                              Workspace& workspace) const {
  if (input_feeding_) first_readout_.forward_add(values, rows.readout_prev, rows.gx);
  first_cell(values, rows, rows.layers[0], workspace);
  upper_layers(values, rows, workspace);
  attend_rows(values, prepared, rows.layers[top()].h, rows, workspace);
  if (input_feeding_) readout_rows(values, rows.layers[top()].h, rows.context, {}, rows.readout);
}

void RnnDecoder::first_cell(Values values, const StepRows& rows, const LayerRows& out, Workspace& workspace) const {
  const LayerRows& first = rows.layers[0];
  layers_[0].step(values, rows.gx, first.h_prev, first.c_prev, out.h, out.c, out.saved, workspace);
}

void RnnDecoder::upper_layers(Values values, const StepRows& rows, Workspace& workspace) const {
  for (Index l = 1; l <= top(); ++l) {
    const LayerRows& layer = rows.layers[l];
    copy(rows.layers[l - 1].h, layer.x);
    layer_dropout_[l].apply(layer.x, rows.noise_keys);
    const Workspace::Scope scope(workspace);
    const Mat gx = workspace.mat(layer.x.rows, layers_[l].gates_size());
    layers_[l].input.forward(values, layer.x, gx);
    layers_[l].step(values, gx, layer.h_prev, layer.c_prev, layer.h, layer.c, layer.saved, workspace);
  }
}

void RnnDecoder::initial_state(Values values, const Memory& memory, Index layer, std::span<const Index> sentences,
                               Mat h, Mat c, Workspace& workspace) const {
  fill(h, 0);
  fill(c, 0);
  if (init_ == "zero") return;
  const Index from = std::min(layer, encoder_layers_ - 1);
  if (init_ == "last") {
    gather(memory.final_h[from], sentences, h);
    if (copy_c_) gather(memory.final_c[from], sentences, c);
    return;
  }
  const Workspace::Scope scope(workspace);
  const Mat final_h = workspace.mat(h.rows, memory.final_h[from].cols);
  gather(memory.final_h[from], sentences, final_h);
  bridge_[layer].forward(values, final_h, h);
  tanh_rows(h);
}

void RnnDecoder::initial_backward(Values values, const Memory& memory, Index layer, std::span<const Index> sentences,
                                  ConstMat h, ConstMat dh, ConstMat dc, const MemoryGrad& dmemory, Grads grads,
                                  Workspace& workspace) const {
  if (init_ == "zero") return;
  const Index from = std::min(layer, encoder_layers_ - 1);
  if (init_ == "last") {
    scatter_add(dh, sentences, dmemory.final_h[from]);
    if (copy_c_) scatter_add(dc, sentences, dmemory.final_c[from]);
    return;
  }
  const Workspace::Scope scope(workspace);
  const Mat final_h = workspace.mat(h.rows, memory.final_h[from].cols);
  gather(memory.final_h[from], sentences, final_h);
  const Mat before_tanh = workspace.mat(h.rows, h.cols);
  tanh_backward(h, dh, before_tanh);
  const Mat dfinal = workspace.mat(final_h.rows, final_h.cols);
  bridge_[layer].backward(values, final_h, before_tanh, dfinal, grads);
  scatter_add(dfinal, sentences, dmemory.final_h[from]);
}

}  // namespace DRAGOMAN_NAMESPACE
