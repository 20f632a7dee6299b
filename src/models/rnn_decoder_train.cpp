// RnnDecoder over all steps, with teacher forcing.
#include <algorithm>

#include "core/error.h"
#include "kernels/rows.h"
#include "models/rnn_decoder_saved.h"

namespace DRAGOMAN_NAMESPACE {

RnnDecoder::Saved& RnnDecoder::begin(const Memory& memory, const Sentences& target, NoiseKeys noise,
                                     Workspace& workspace) const {
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
  return s;
}

void RnnDecoder::make_states(Values values, const Memory& memory, Saved& s, Workspace& workspace) const {
  const TimeMajor& time = s.time;
  const Index rows = time.rows();
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
}

RnnDecoder::StepRows RnnDecoder::rows_of_step(const Saved& s, Mat gx, Index t, Workspace& workspace) const {
  const TimeMajor& time = s.time;
  const std::span<LayerRows> layers = workspace.array<LayerRows>(top() + 1);
  for (Index l = 0; l <= top(); ++l) {
    const StateTrace& trace = s.layers[l];
    layers[l] = {.h_prev = StateTrace::before(trace.h, time, t),
                 .c_prev = StateTrace::before(trace.c, time, t),
                 .h = StateTrace::at(trace.h, time, t),
                 .c = StateTrace::at(trace.c, time, t),
                 .saved = trace.saved_at(t),
                 .x = s.step_of(s.x[l], t)};
  }
  StepRows step;
  step.ranges = s.ranges.subspan(time.start[t], time.alive(t));
  if (!s.noise_keys.empty()) step.noise_keys = s.noise_keys.subspan(time.start[t], time.alive(t));
  step.gx = s.step_of(gx, t);
  step.layers = layers;
  if (query_ == Query::between) {
    step.between.h = StateTrace::at(s.between.h, time, t);
    step.between.c = StateTrace::at(s.between.c, time, t);
    step.between.saved = s.between.saved_at(t);
  }
  step.query = s.step_of(s.query, t);
  step.weights = s.step_of(s.weights, t);
  step.context = s.step_of(s.context, t);
  step.readout_prev = StateTrace::before(s.readout, time, t);
  step.readout = StateTrace::at(s.readout, time, t);
  return step;
}

Mat RnnDecoder::forward(Values values, const Memory& memory, const Sentences& target, NoiseKeys noise,
                        Workspace& workspace, const DecoderSaved** saved) const {
  CHECK(memory.sentences() == target.count(), "RnnDecoder: one target a source sentence");
  const Mat output = workspace.mat(target.tokens(), readout_size_);
  Saved& s = begin(memory, target, noise, workspace);
  s.prepared = prepare(values, memory, workspace);
  s.e = workspace.mat(s.time.rows(), embedding_.table.cols);
  embedding_.forward(values, s.inputs, s.e);
  embedding_dropout_.apply(s.e, s.noise_keys);
  make_states(values, memory, s, workspace);

  const Mat gx = workspace.mat(s.time.rows(), layers_[0].gates_size());
  first_e_.forward(values, s.e, gx);
  for (Index t = 0; t < s.time.steps(); ++t) {
    const Workspace::Scope scope(workspace);
    step_rows(values, s.prepared, rows_of_step(s, gx, t, workspace), workspace);
  }
  if (!input_feeding_) readout_rows(values, s.layers[top()].outputs(), s.context, s.e, s.readout_all());
  scatter(s.readout_all(), s.batch_rows, output);
  if (saved != nullptr) *saved = &s;
  return output;
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
