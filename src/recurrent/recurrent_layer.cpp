#include "recurrent/recurrent_layer.h"

#include "core/error.h"
#include "core/profile.h"
#include "kernels/rows.h"
#include "layers/product.h"

namespace DRAGOMAN_NAMESPACE {

StateTrace StateTrace::create(const TimeMajor& time, const Cell& cell, Index hidden_size, Workspace& workspace) {
  const Index rows = time.sentences() + time.rows();
  StateTrace trace;
  trace.time = time;
  trace.h = workspace.mat(rows, hidden_size);
  trace.c = cell.has_memory ? workspace.mat(rows, hidden_size) : Mat{nullptr, rows, 0, 0};
  trace.saved = workspace.mat(time.rows(), cell.saved * hidden_size);
  return trace;
}

Mat StateTrace::at(Mat states, const TimeMajor& time, Index t) {
  return states.row_range(time.sentences() + time.start[t], time.alive(t));
}

Mat StateTrace::before(Mat states, const TimeMajor& time, Index t) {
  const Index first = t == 0 ? 0 : time.sentences() + time.start[t - 1];
  return states.row_range(first, time.alive(t));
}

Mat StateTrace::previous(Workspace& workspace) const {
  const Mat result = workspace.mat(time.rows(), h.cols);
  for (Index t = 0; t < time.steps(); ++t) {
    copy(before(h, time, t), result.row_range(time.start[t], time.alive(t)));
  }
  return result;
}

RecurrentLayer RecurrentLayer::create(ParamStore& store, const std::string& name, const Cell& cell, Index input_size,
                                      Index hidden_size, const RecurrentInit& init) {
  CHECK(cell.hidden_bias_gate < cell.gates && cell.forget_gate < cell.gates, "RecurrentLayer: gates of the cell");
  RecurrentLayer layer;
  layer.cell = &cell;
  layer.hidden_size = hidden_size;
  const Index width = cell.gates * hidden_size;
  layer.input.w = store.add(name + ".w_x", input_size, width, init_by_name(init.weights, init.scale, cell.gates));
  layer.w_h = store.add(name + ".w_h", hidden_size, width, init_by_name(init.recurrent, init.scale, cell.gates));
  Init bias;
  if (cell.forget_gate >= 0 && init.forget_bias != 0) {
    bias = {Init::Kind::constant, init.forget_bias, cell.gates, cell.forget_gate};
  }
  layer.input.b = store.add_bias(name + ".b", width, bias);
  if (cell.hidden_bias_gate >= 0) layer.c_n = store.add_bias(name + ".c_n", hidden_size);
  return layer;
}

void RecurrentLayer::step(Values values, ConstMat gx, ConstMat h_prev, ConstMat c_prev, Mat h, Mat c, Mat saved,
                          Workspace& workspace) const {
  CHECK(gx.cols == gates_size() && h_prev.cols == hidden_size && h.rows == gx.rows, "RecurrentLayer: shapes");
  const Workspace::Scope scope(workspace);
  const Mat gh = workspace.mat(gx.rows, gx.cols);
  {
    const Profile::Scope profile(Part::products);
    multiply(values, h_prev, w_h, gh);
  }
  if (saved.empty()) saved = workspace.mat(gx.rows, cell->saved * hidden_size);
  const Profile::Scope profile(Part::cells);
  cell->forward({gx, gh, c_n.in(values), h_prev, c_prev, h, c, saved});
}

void RecurrentLayer::step_backward(Values values, const StepGrad& s, Workspace& workspace) const {
  const Workspace::Scope scope(workspace);
  const Mat direct = workspace.mat(s.dh.rows, hidden_size);
  {
    const Profile::Scope profile(Part::cells);
    cell->backward({s.saved, s.h_prev, s.h, s.c_prev, s.dh, s.dc, s.dgx, s.dgh, direct});
  }
  const Profile::Scope profile(Part::products);
  multiply_transposed(values, s.dgh, w_h, direct, true);
  copy(direct, s.dh_prev);
}

void RecurrentLayer::recurrent_weights_backward(ConstMat h_prev, ConstMat dgh, Grads grads) const {
  const Profile::Scope profile(Part::products);
  add_weight_gradient(h_prev, dgh, w_h, grads);
  if (cell->hidden_bias_gate < 0) return;
  add_column_sums(dgh.col_range(cell->hidden_bias_gate * hidden_size, hidden_size), c_n.in(grads));
}

StateTrace RecurrentLayer::forward(Values values, const TimeMajor& time, ConstMat x, ConstMat initial_h,
                                   ConstMat initial_c, Workspace& workspace) const {
  const StateTrace trace = StateTrace::create(time, *cell, hidden_size, workspace);
  const Mat h0 = trace.h.row_range(0, time.sentences());
  const Mat c0 = trace.c.row_range(0, time.sentences());
  if (initial_h.empty()) {
    fill(h0, 0);
  } else {
    copy(initial_h, h0);
  }
  if (initial_c.empty()) {
    fill(c0, 0);
  } else {
    copy(initial_c, c0);
  }
  const Workspace::Scope scope(workspace);
  const Mat gx = workspace.mat(time.rows(), gates_size());
  input.forward(values, x, gx);
  for (Index t = 0; t < time.steps(); ++t) {
    step(values, gx.row_range(time.start[t], time.alive(t)), StateTrace::before(trace.h, time, t),
         StateTrace::before(trace.c, time, t), StateTrace::at(trace.h, time, t), StateTrace::at(trace.c, time, t),
         trace.saved_at(t), workspace);
  }
  return trace;
}

void RecurrentLayer::backward(Values values, const StateTrace& trace, ConstMat x, ConstMat dh_all, Mat dh_carry,
                              Mat dc_carry, Mat dx, Grads grads, Workspace& workspace) const {
  const TimeMajor& time = trace.time;
  const Workspace::Scope scope(workspace);
  const Mat dgx = workspace.mat(time.rows(), gates_size());
  const Mat dgh = cell->distinct_gradients ? workspace.mat(time.rows(), gates_size()) : dgx;
  for (Index t = time.steps() - 1; t >= 0; --t) {
    const Index first = time.start[t];
    const Index rows = time.alive(t);
    const Mat dh = dh_carry.row_range(0, rows);
    add(dh_all.row_range(first, rows), dh);
    step_backward(values,
                  {trace.saved_at(t), StateTrace::before(trace.h, time, t), StateTrace::at(trace.h, time, t),
                   StateTrace::before(trace.c, time, t), dh, dc_carry.row_range(0, rows), dgx.row_range(first, rows),
                   dgh.row_range(first, rows), dh},
                  workspace);
  }
  recurrent_weights_backward(trace.previous(workspace), dgh, grads);
  input.backward(values, x, dgx, dx, grads);
}

}  // namespace DRAGOMAN_NAMESPACE
