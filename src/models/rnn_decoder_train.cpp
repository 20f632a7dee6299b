// RnnDecoder over all steps: forward with teacher forcing, and back through time.
#include <algorithm>

#include "core/error.h"
#include "kernels/rows.h"
#include "models/rnn_decoder_saved.h"

namespace DRAGOMAN_NAMESPACE {

Mat RnnDecoder::forward(Values values, const Memory& memory, const Sentences& target, NoiseKeys noise,
                        Workspace& workspace, const DecoderSaved** saved) const {
  CHECK(memory.sentences() == target.count(), "RnnDecoder: one target a source sentence");
  const Index output_rows = target.tokens();
  const Mat output = workspace.mat(output_rows, readout_size_);
  Saved& s = *workspace.make<Saved>();
  const TimeMajor time = s.time = TimeMajor::create(target.offset, workspace);
  const Index rows = time.rows();
  s.batch_rows = time.batch_rows(false, workspace);
  const std::span<Index> sentences = workspace.array<Index>(rows);
  const std::span<TokenId> inputs = workspace.array<TokenId>(rows);
  const std::span<KeyRange> ranges = workspace.array<KeyRange>(rows);
  for (Index t = 0; t < time.steps(); ++t) {
    for (Index i = 0; i < time.alive(t); ++i) {
      const Index row = time.start[t] + i;
      sentences[row] = time.order[i];
      inputs[row] = t == 0 ? kBos : target.ids[s.batch_rows[row] - 1];
      ranges[row] = {memory.offset[time.order[i]], memory.offset[time.order[i] + 1]};
    }
  }
  s.sentences = sentences;
  s.inputs = inputs;
  s.ranges = ranges;
  if (!noise.empty()) {
    const std::span<std::uint64_t> keys = workspace.array<std::uint64_t>(rows);
    for (Index row = 0; row < rows; ++row) keys[row] = noise[s.batch_rows[row]];
    s.noise_keys = keys;
  }
  s.prepared = prepare(values, memory, workspace);

  s.e = workspace.mat(rows, embedding_.table.cols);
  embedding_.forward(values, s.inputs, s.e);
  embedding_dropout_.apply(s.e, s.noise_keys);
  s.layers = workspace.array<StateTrace>(top() + 1);
  s.x = workspace.array<Mat>(top() + 1);
  for (Index l = 0; l <= top(); ++l) {
    s.layers[l] = StateTrace::create(time, *layers_[l].cell, layers_[l].hidden_size, workspace);
    s.x[l] = l == 0 ? Mat{} : workspace.mat(rows, layers_[l].input.w.rows);
    initial_state(values, memory, l, time.order, s.layers[l].h.row_range(0, time.sentences()),
                  s.layers[l].c.row_range(0, time.sentences()), workspace);
  }
  if (query_ == Query::between) s.between = StateTrace::create(time, *second_.cell, second_.hidden_size, workspace);
  s.context = workspace.mat(rows, context_size_);
  if (attention_) {
    s.query = workspace.mat(rows, attention_->size);
    s.weights = workspace.mat(rows, memory.longest());
  } else if (has_context()) {
    constant_context(memory, s.sentences, s.context);
  }
  s.readout = workspace.mat(time.sentences() + rows, readout_size_);
  fill(s.readout.row_range(0, time.sentences()), 0);

  const Mat gx = workspace.mat(rows, layers_[0].gates_size());
  first_e_.forward(values, s.e, gx);
  for (Index t = 0; t < time.steps(); ++t) {
    const Workspace::Scope scope(workspace);
    const std::span<LayerRows> layers = workspace.array<LayerRows>(top() + 1);
    for (Index l = 0; l <= top(); ++l) {
      const StateTrace& trace = s.layers[l];
      layers[l] = {StateTrace::before(trace.h, time, t),
                   StateTrace::before(trace.c, time, t),
                   StateTrace::at(trace.h, time, t),
                   StateTrace::at(trace.c, time, t),
                   trace.saved_at(t),
                   s.step_of(s.x[l], t)};
    }
    StepRows step;
    step.ranges = s.ranges.subspan(time.start[t], time.alive(t));
    if (!noise.empty()) step.noise_keys = s.noise_keys.subspan(time.start[t], time.alive(t));
    step.gx = s.step_of(gx, t);
    step.layers = layers;
    if (query_ == Query::between) {
      step.between = {
          {}, {}, StateTrace::at(s.between.h, time, t), StateTrace::at(s.between.c, time, t), s.between.saved_at(t),
          {}};
    }
    step.query = s.step_of(s.query, t);
    step.weights = s.step_of(s.weights, t);
    step.context = s.step_of(s.context, t);
    step.readout_prev = StateTrace::before(s.readout, time, t);
    step.readout = StateTrace::at(s.readout, time, t);
    step_rows(values, s.prepared, step, workspace);
  }
  if (!input_feeding_) readout_rows(values, s.layers[top()].outputs(), s.context, s.e, s.readout_all());
  scatter(s.readout_all(), s.batch_rows, output);
  if (saved != nullptr) *saved = &s;
  return output;
}

/// Gradients of all rows, time-major, that the loop fills in and the products after it read.
struct RnnDecoder::BackwardRows {
  std::span<Mat> dgx, dgh;  ///< of each layer's (first) cell
  Mat dgx_second, dgh_second;
  Mat dquery;    ///< projected queries
  Mat dcontext;  ///< from the readout and the cells
  Mat dpre;      ///< readout before tanh
  Mat ds;        ///< readout's share of the gradient of s
};

void RnnDecoder::backward(Values values, const Memory& memory, const Sentences& target, const DecoderSaved& saved,
                          ConstMat dreadout, const MemoryGrad& dmemory, Grads grads, Workspace& workspace) const {
  const auto& s = static_cast<const Saved&>(saved);
  const TimeMajor& time = s.time;
  const Index rows = time.rows();
  const Index size = layers_[0].hidden_size;
  CHECK(dreadout.rows == target.tokens(), "RnnDecoder: shapes");
  const Workspace::Scope scope(workspace);

  BackwardRows d;
  d.dgx = workspace.array<Mat>(top() + 1);
  d.dgh = workspace.array<Mat>(top() + 1);
  const auto gate_rows = [&](const RecurrentLayer& layer, Mat& dgx, Mat& dgh) {
    dgx = workspace.mat(rows, layer.gates_size());
    dgh = layer.cell->distinct_gradients ? workspace.mat(rows, layer.gates_size()) : dgx;
  };
  for (Index l = 0; l <= top(); ++l) {
    gate_rows(layers_[l], d.dgx[l], d.dgh[l]);
  }
  if (query_ == Query::between) gate_rows(second_, d.dgx_second, d.dgh_second);
  d.dquery = workspace.mat(rows, attention_ ? attention_->size : 0);
  d.dcontext = workspace.zeros(rows, context_size_);
  d.dpre = workspace.mat(rows, readout_size_);
  d.ds = workspace.mat(rows, size);
  const Mat de = workspace.zeros(rows, s.e.cols);
  const Mat dkeys = workspace.zeros(s.prepared.keys.rows, s.prepared.keys.cols);

  gather(dreadout, s.batch_rows, d.dpre);  // for now the gradient of r, after tanh
  if (!input_feeding_) {
    tanh_backward(s.readout_all(), d.dpre, d.dpre);
    readout_s_.backward(values, s.layers[top()].outputs(), d.dpre, d.ds, grads);
    if (has_context()) readout_context_.backward(values, s.context, d.dpre, d.dcontext, grads);
    if (readout_reads_e_) readout_e_.backward(values, s.e, d.dpre, de, grads);
  }

  const std::span<Mat> dh = workspace.array<Mat>(top() + 1);  // carried back from step t + 1 to t
  const std::span<Mat> dc = workspace.array<Mat>(top() + 1);
  for (Index l = 0; l <= top(); ++l) {
    dh[l] = workspace.zeros(time.sentences(), size);
    dc[l] = workspace.zeros(time.sentences(), layers_[l].cell->has_memory ? size : 0);
  }
  const Mat dr = workspace.zeros(time.sentences(), readout_size_);  // carried, input feeding

  for (Index t = time.steps() - 1; t >= 0; --t) {
    const Workspace::Scope step_scope(workspace);
    const Index n = time.alive(t);
    const auto carried = [n](Mat m) { return m.row_range(0, n); };
    const Mat dcontext = s.step_of(d.dcontext, t);
    // c_t = A(q): from dcontext to the gradient of the query, which is added to `to`.
    const auto attend_step_backward = [&](Mat to) {
      if (!attention_) return;
      const Mat dquery = s.step_of(d.dquery, t);
      const AttentionInput input =
          attention_input(values, s.prepared, s.step_of(s.query, t), s.ranges.subspan(time.start[t], n));
      attend_backward(input, s.step_of(s.weights, t), dcontext,
                      {dquery, dkeys, dmemory.rows, attention_->v.in(grads).data}, workspace);
      if (attention_->score->projects_queries) {
        attention_->query.backward_input(values, dquery, to, true);
      } else {
        add(dquery, to);
      }
    };
    const auto cell_backward = [&](const RecurrentLayer& layer, ConstMat cell_saved, ConstMat h_prev, ConstMat h,
                                   ConstMat c_prev, Mat dh_rows, Mat dc_rows, Mat dgx, Mat dgh) {
      layer.step_backward(values, {cell_saved, h_prev, h, c_prev, dh_rows, dc_rows, dgx, dgh, dh_rows}, workspace);
    };

    if (input_feeding_) {  // r_t = tanh(W [c; s] + b), which the output and step t + 1 read
      const Mat dpre = s.step_of(d.dpre, t);
      add(carried(dr), dpre);
      tanh_backward(StateTrace::at(s.readout, time, t), dpre, dpre);
      readout_s_.backward_input(values, dpre, s.step_of(d.ds, t));
      if (has_context()) readout_context_.backward_input(values, dpre, dcontext);
    }
    add(s.step_of(d.ds, t), carried(dh[top()]));
    if (query_ == Query::current) attend_step_backward(carried(dh[top()]));

    for (Index l = top(); l >= 1; --l) {
      const StateTrace& trace = s.layers[l];
      const Mat dgx = s.step_of(d.dgx[l], t);
      cell_backward(layers_[l], trace.saved_at(t), StateTrace::before(trace.h, time, t),
                    StateTrace::at(trace.h, time, t), StateTrace::before(trace.c, time, t), carried(dh[l]),
                    carried(dc[l]), dgx, s.step_of(d.dgh[l], t));
      const Mat dx = workspace.mat(n, size);
      layers_[l].input.backward_input(values, dgx, dx);
      if (!s.noise_keys.empty()) layer_dropout_[l].apply(dx, s.noise_keys.subspan(time.start[t], n));
      add(dx, carried(dh[l - 1]));
    }

    const StateTrace& first = s.layers[0];
    ConstMat first_h = StateTrace::at(first.h, time, t);
    ConstMat first_saved = first.saved_at(t);
    if (query_ == Query::between) {
      const Mat half_h = StateTrace::at(s.between.h, time, t);
      const Mat dgx = s.step_of(d.dgx_second, t);
      cell_backward(second_, first.saved_at(t), half_h, first_h, StateTrace::at(s.between.c, time, t), carried(dh[0]),
                    carried(dc[0]), dgx, s.step_of(d.dgh_second, t));
      if (has_context()) second_.input.backward_input(values, dgx, dcontext, true);
      attend_step_backward(carried(dh[0]));
      first_h = half_h;
      first_saved = s.between.saved_at(t);
    }
    const Mat dgx = s.step_of(d.dgx[0], t);
    cell_backward(layers_[0], first_saved, StateTrace::before(first.h, time, t), first_h,
                  StateTrace::before(first.c, time, t), carried(dh[0]), carried(dc[0]), dgx, s.step_of(d.dgh[0], t));
    if (query_ == Query::previous) {
      if (has_context()) first_context_.backward_input(values, dgx, dcontext, true);
      attend_step_backward(carried(dh[top()]));
    }
    if (input_feeding_) first_readout_.backward_input(values, dgx, carried(dr));
  }

  // One product for each weight gradient.
  if (input_feeding_) {
    readout_s_.backward_weights(s.layers[top()].outputs(), d.dpre, grads);
    if (has_context()) readout_context_.backward_weights(s.context, d.dpre, grads);
    StateTrace fed{time, s.readout, {}, {}};
    first_readout_.backward_weights(fed.previous(workspace), d.dgx[0], grads);
  }
  first_e_.backward(values, s.e, d.dgx[0], de, grads, true);
  if (query_ == Query::previous && has_context()) first_context_.backward_weights(s.context, d.dgx[0], grads);
  for (Index l = 0; l <= top(); ++l) {
    layers_[l].recurrent_weights_backward(s.layers[l].previous(workspace), d.dgh[l], grads);
    if (l > 0) layers_[l].input.backward_weights(s.x[l], d.dgx[l], grads);
  }
  if (query_ == Query::between) {
    second_.recurrent_weights_backward(s.between.outputs(), d.dgh_second, grads);
    if (has_context()) {
      second_.input.backward_weights(s.context, d.dgx_second, grads);
    } else {
      add_column_sums(d.dgx_second, second_.input.b.in(grads));
    }
  }
  if (attention_) {
    if (attention_->score->projects_queries) {
      const ConstMat queries = query_ == Query::previous  ? ConstMat(s.layers[top()].previous(workspace))
                               : query_ == Query::between ? s.between.outputs()
                                                          : s.layers[top()].outputs();
      attention_->query.backward_weights(queries, d.dquery, grads);
    }
    attention_->keys_backward(values, s.prepared.memory, dkeys, dmemory.rows, grads);
  } else if (has_context()) {
    scatter_add(d.dcontext, s.sentences, dmemory.final_h[encoder_layers_ - 1]);
  }
  for (Index l = 0; l <= top(); ++l) {
    initial_backward(values, memory, l, time.order, s.layers[l].h.row_range(0, time.sentences()), dh[l], dc[l], dmemory,
                     grads, workspace);
  }
  embedding_dropout_.apply(de, s.noise_keys);
  embedding_.backward(s.inputs, de, grads);
}

void RnnDecoder::visit_attention(const Memory& memory, const Sentences& target, const DecoderSaved& saved,
                                 Index sentence, Workspace& workspace, const VisitHead& visit) const {
  if (!attention_) return;
  const auto& s = static_cast<const Saved&>(saved);
  const Workspace::Scope scope(workspace);
  const Mat weights = workspace.mat(target.length(sentence), memory.offset[sentence + 1] - memory.offset[sentence]);
  for (Index row = 0; row < s.time.rows(); ++row) {
    if (s.sentences[row] != sentence) continue;
    const Index query = s.batch_rows[row] - target.offset[sentence];
    std::copy_n(s.weights.row(row), weights.cols, weights.row(query));
  }
  visit({"cross", 0, 0, weights});
}

}  // namespace DRAGOMAN_NAMESPACE
