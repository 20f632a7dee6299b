// RnnDecoder back through time: first what the readout says of all rows, then the steps from the last to the first, which
// fill in the gradients of products; then one product for each weight gradient.
#include "core/error.h"
#include "kernels/rows.h"
#include "models/rnn_decoder_saved.h"

namespace DRAGOMAN_NAMESPACE {

class RnnDecoder::Backward {
 public:
  Backward(const RnnDecoder& decoder, Values values, const Memory& memory, const Saved& saved,
           const MemoryGrad& dmemory, Grads grads, Workspace& workspace);

  /// `dreadout`: in batch order.
  void readout(ConstMat dreadout);
  void step(Index t);
  void weights();
  /// Initial states, the memory and the embedding.
  void inputs();

 private:
  /// Of all rows, of a layer's (first) cell: gradients of its products.
  struct GateRows {
    Mat dgx, dgh;
  };
  [[nodiscard]] GateRows gate_rows(const RecurrentLayer& layer) const;
  [[nodiscard]] Mat carried(Mat state, Index t) const { return state.row_range(0, s_.time.alive(t)); }
  [[nodiscard]] Mat dh_top(Index t) const { return carried(dh_[decoder_.top()], t); }

  // In the order in which they are gone through, of one step each.
  void step_previous(Index t);
  void step_between(Index t);
  void step_current(Index t);

  void fed_readout(Index t);
  /// c_t = A(q): from the gradient of c_t to that of the query, which is added to `dquery`.
  void attention(Index t, Mat dquery);
  void upper_layers(Index t);
  void second_cell(Index t);
  /// The first cell of layer 0, which gave h.
  void first_cell(Index t, ConstMat h, ConstMat saved);

  const RnnDecoder& decoder_;
  const Values values_;
  const Memory& memory_;
  const Saved& s_;
  const MemoryGrad& dmemory_;
  const Grads grads_;
  Workspace& workspace_;

  std::span<GateRows> gates_;
  GateRows second_gates_;
  Mat dquery_;              ///< projected queries
  Mat dcontext_;            ///< from the readout and the cells
  Mat dpre_;                ///< readout before tanh
  Mat ds_;                  ///< readout's share of the gradient of s
  Mat de_, dkeys_;          ///< embeddings, projected keys
  std::span<Mat> dh_, dc_;  ///< of each layer, carried back from step t + 1 to t
  Mat dr_;                  ///< carried, input feeding
};

RnnDecoder::Backward::Backward(const RnnDecoder& decoder, Values values, const Memory& memory, const Saved& saved,
                               const MemoryGrad& dmemory, Grads grads, Workspace& workspace)
    : decoder_(decoder),
      values_(values),
      memory_(memory),
      s_(saved),
      dmemory_(dmemory),
      grads_(grads),
      workspace_(workspace) {
  const Index rows = s_.time.rows(), sentences = s_.time.sentences(), layers = decoder_.top() + 1;
  gates_ = workspace_.array<GateRows>(layers);
  for (Index l = 0; l < layers; ++l) gates_[l] = gate_rows(decoder_.layers_[l]);
  if (decoder_.query_ == Query::between) second_gates_ = gate_rows(decoder_.second_);
  dquery_ = workspace_.mat(rows, decoder_.attention_ ? decoder_.attention_->size : 0);
  dcontext_ = workspace_.zeros(rows, decoder_.context_size_);
  dpre_ = workspace_.mat(rows, decoder_.readout_size_);
  ds_ = workspace_.mat(rows, decoder_.layers_[0].hidden_size);
  de_ = workspace_.zeros(rows, s_.e.cols);
  dkeys_ = workspace_.zeros(s_.prepared.keys.rows, s_.prepared.keys.cols);
  dh_ = workspace_.array<Mat>(layers);
  dc_ = workspace_.array<Mat>(layers);
  for (Index l = 0; l < layers; ++l) {
    const RecurrentLayer& layer = decoder_.layers_[l];
    dh_[l] = workspace_.zeros(sentences, layer.hidden_size);
    dc_[l] = workspace_.zeros(sentences, layer.cell->has_memory ? layer.hidden_size : 0);
  }
  dr_ = workspace_.zeros(sentences, decoder_.readout_size_);
}

RnnDecoder::Backward::GateRows RnnDecoder::Backward::gate_rows(const RecurrentLayer& layer) const {
  const Mat dgx = workspace_.mat(s_.time.rows(), layer.gates_size());
  return {dgx, layer.cell->distinct_gradients ? workspace_.mat(s_.time.rows(), layer.gates_size()) : dgx};
}

void RnnDecoder::Backward::readout(ConstMat dreadout) {
  gather(dreadout, s_.batch_rows, dpre_);  // for now the gradient of r, after tanh
  if (decoder_.input_feeding_) return;     // step t + 1 reads r_t, too
  tanh_backward(s_.readout_all(), dpre_, dpre_);
  decoder_.readout_s_.backward(values_, s_.layers[decoder_.top()].outputs(), dpre_, ds_, grads_);
  if (decoder_.has_context()) decoder_.readout_context_.backward(values_, s_.context, dpre_, dcontext_, grads_);
  if (decoder_.readout_reads_e_) decoder_.readout_e_.backward(values_, s_.e, dpre_, de_, grads_);
}

void RnnDecoder::Backward::step(Index t) {
  const Workspace::Scope scope(workspace_);
  switch (decoder_.query_) {
    case Query::previous:
      return step_previous(t);
    case Query::between:
      return step_between(t);
    case Query::current:
      return step_current(t);
  }
}

void RnnDecoder::Backward::step_previous(Index t) {
  add(s_.step_of(ds_, t), dh_top(t));
  upper_layers(t);
  first_cell(t, StateTrace::at(s_.layers[0].h, s_.time, t), s_.layers[0].saved_at(t));
  if (decoder_.has_context()) {
    decoder_.first_context_.backward_input(values_, s_.step_of(gates_[0].dgx, t), s_.step_of(dcontext_, t), true);
  }
  attention(t, dh_top(t));
}

void RnnDecoder::Backward::step_between(Index t) {
  add(s_.step_of(ds_, t), dh_top(t));
  upper_layers(t);
  second_cell(t);
  attention(t, carried(dh_[0], t));
  first_cell(t, StateTrace::at(s_.between.h, s_.time, t), s_.between.saved_at(t));
}

void RnnDecoder::Backward::step_current(Index t) {
  if (decoder_.input_feeding_) fed_readout(t);
  add(s_.step_of(ds_, t), dh_top(t));
  attention(t, dh_top(t));
  upper_layers(t);
  first_cell(t, StateTrace::at(s_.layers[0].h, s_.time, t), s_.layers[0].saved_at(t));
  if (decoder_.input_feeding_) {
    decoder_.first_readout_.backward_input(values_, s_.step_of(gates_[0].dgx, t), carried(dr_, t));
  }
}

// r_t = tanh(W [c; s] + b), which the output and step t + 1 read
void RnnDecoder::Backward::fed_readout(Index t) {
  const Mat dpre = s_.step_of(dpre_, t);
  add(carried(dr_, t), dpre);
  tanh_backward(StateTrace::at(s_.readout, s_.time, t), dpre, dpre);
  decoder_.readout_s_.backward_input(values_, dpre, s_.step_of(ds_, t));
  if (decoder_.has_context()) decoder_.readout_context_.backward_input(values_, dpre, s_.step_of(dcontext_, t));
}

void RnnDecoder::Backward::attention(Index t, Mat dquery) {
  if (!decoder_.attention_) return;
  const AttentionLayer& layer = *decoder_.attention_;
  const Mat projected = s_.step_of(dquery_, t);
  const AttentionInput input = decoder_.attention_input(values_, s_.prepared, s_.step_of(s_.query, t),
                                                        s_.ranges.subspan(s_.time.start[t], s_.time.alive(t)));
  attend_backward(input, s_.step_of(s_.weights, t), s_.step_of(dcontext_, t),
                  {projected, dkeys_, dmemory_.rows, layer.v.in(grads_).data}, workspace_);
  if (layer.score->projects_queries) {
    layer.query.backward_input(values_, projected, dquery, true);
  } else {
    add(projected, dquery);
  }
}

void RnnDecoder::Backward::upper_layers(Index t) {
  for (Index l = decoder_.top(); l >= 1; --l) {
    const StateTrace& trace = s_.layers[l];
    const RecurrentLayer& layer = decoder_.layers_[l];
    const Mat dh = carried(dh_[l], t), dgx = s_.step_of(gates_[l].dgx, t);
    layer.step_backward(values_,
                        {.saved = trace.saved_at(t),
                         .h_prev = StateTrace::before(trace.h, s_.time, t),
                         .h = StateTrace::at(trace.h, s_.time, t),
                         .c_prev = StateTrace::before(trace.c, s_.time, t),
                         .dh = dh,
                         .dc = carried(dc_[l], t),
                         .dgx = dgx,
                         .dgh = s_.step_of(gates_[l].dgh, t),
                         .dh_prev = dh},
                        workspace_);
    const Mat dx = workspace_.mat(dgx.rows, layer.input.w.rows);
    layer.input.backward_input(values_, dgx, dx);
    if (!s_.noise_keys.empty()) {
      decoder_.layer_dropout_[l].apply(dx, s_.noise_keys.subspan(s_.time.start[t], s_.time.alive(t)));
    }
    add(dx, carried(dh_[l - 1], t));
  }
}

void RnnDecoder::Backward::second_cell(Index t) {
  const StateTrace& trace = s_.layers[0];
  const Mat dh = carried(dh_[0], t), dgx = s_.step_of(second_gates_.dgx, t);
  decoder_.second_.step_backward(values_,
                                 {.saved = trace.saved_at(t),
                                  .h_prev = StateTrace::at(s_.between.h, s_.time, t),
                                  .h = StateTrace::at(trace.h, s_.time, t),
                                  .c_prev = StateTrace::at(s_.between.c, s_.time, t),
                                  .dh = dh,
                                  .dc = carried(dc_[0], t),
                                  .dgx = dgx,
                                  .dgh = s_.step_of(second_gates_.dgh, t),
                                  .dh_prev = dh},
                                 workspace_);
  if (decoder_.has_context()) decoder_.second_.input.backward_input(values_, dgx, s_.step_of(dcontext_, t), true);
}

void RnnDecoder::Backward::first_cell(Index t, ConstMat h, ConstMat saved) {
  const StateTrace& trace = s_.layers[0];
  const Mat dh = carried(dh_[0], t);
  decoder_.layers_[0].step_backward(values_,
                                    {.saved = saved,
                                     .h_prev = StateTrace::before(trace.h, s_.time, t),
                                     .h = h,
                                     .c_prev = StateTrace::before(trace.c, s_.time, t),
                                     .dh = dh,
                                     .dc = carried(dc_[0], t),
                                     .dgx = s_.step_of(gates_[0].dgx, t),
                                     .dgh = s_.step_of(gates_[0].dgh, t),
                                     .dh_prev = dh},
                                    workspace_);
}

void RnnDecoder::Backward::weights() {
  const Mat dgx = gates_[0].dgx;
  if (decoder_.input_feeding_) {
    decoder_.readout_s_.backward_weights(s_.layers[decoder_.top()].outputs(), dpre_, grads_);
    if (decoder_.has_context()) decoder_.readout_context_.backward_weights(s_.context, dpre_, grads_);
    const StateTrace fed{s_.time, s_.readout, {}, {}};
    decoder_.first_readout_.backward_weights(fed.previous(workspace_), dgx, grads_);
  }
  decoder_.first_e_.backward(values_, s_.e, dgx, de_, grads_, true);
  if (decoder_.query_ == Query::previous && decoder_.has_context()) {
    decoder_.first_context_.backward_weights(s_.context, dgx, grads_);
  }
  for (Index l = 0; l <= decoder_.top(); ++l) {
    const RecurrentLayer& layer = decoder_.layers_[l];
    layer.recurrent_weights_backward(s_.layers[l].previous(workspace_), gates_[l].dgh, grads_);
    if (l > 0) layer.input.backward_weights(s_.x[l], gates_[l].dgx, grads_);
  }
  if (decoder_.query_ == Query::between) {
    const RecurrentLayer& second = decoder_.second_;
    second.recurrent_weights_backward(s_.between.outputs(), second_gates_.dgh, grads_);
    if (decoder_.has_context()) {
      second.input.backward_weights(s_.context, second_gates_.dgx, grads_);
    } else {
      add_column_sums(second_gates_.dgx, second.input.b.in(grads_));
    }
  }
  if (decoder_.attention_ && decoder_.attention_->score->projects_queries) {
    const StateTrace& top = s_.layers[decoder_.top()];
    const ConstMat queries = decoder_.query_ == Query::previous  ? ConstMat(top.previous(workspace_))
                             : decoder_.query_ == Query::between ? s_.between.outputs()
                                                                 : top.outputs();
    decoder_.attention_->query.backward_weights(queries, dquery_, grads_);
  }
}

void RnnDecoder::Backward::inputs() {
  if (decoder_.attention_) {
    decoder_.attention_->keys_backward(values_, s_.prepared.memory, dkeys_, dmemory_.rows, grads_);
  } else if (decoder_.has_context()) {
    scatter_add(dcontext_, s_.sentences, dmemory_.final_h[decoder_.encoder_layers_ - 1]);
  }
  for (Index l = 0; l <= decoder_.top(); ++l) {
    decoder_.initial_backward(values_, memory_, l, s_.time.order, s_.layers[l].h.row_range(0, s_.time.sentences()),
                              dh_[l], dc_[l], dmemory_, grads_, workspace_);
  }
  decoder_.embedding_dropout_.apply(de_, s_.noise_keys);
  decoder_.embedding_.backward(s_.inputs, de_, grads_);
}

void RnnDecoder::backward(Values values, const Memory& memory, const Sentences& target, const DecoderSaved& saved,
                          ConstMat dreadout, const MemoryGrad& dmemory, Grads grads, Workspace& workspace) const {
  CHECK(dreadout.rows == target.tokens(), "RnnDecoder: shapes");
  const Workspace::Scope scope(workspace);
  const auto& s = static_cast<const Saved&>(saved);
  Backward backward(*this, values, memory, s, dmemory, grads, workspace);
  backward.readout(dreadout);
  for (Index t = s.time.steps() - 1; t >= 0; --t) backward.step(t);
  backward.weights();
  backward.inputs();
}

}  // namespace DRAGOMAN_NAMESPACE
