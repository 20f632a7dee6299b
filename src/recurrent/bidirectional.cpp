#include "recurrent/bidirectional.h"

#include <algorithm>

#include "core/error.h"
#include "kernels/rows.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

/// The last state of each sentence, from a trace in time-major order to batch order.
void copy_final(ConstMat states, const TimeMajor& time, Mat to) {
  for (Index i = 0; i < time.sentences(); ++i) {
    const Index sentence = time.order[i];
    const Index last = time.offset[sentence + 1] - time.offset[sentence] - 1;
    const Real* from = states.row(time.sentences() + time.start[last] + i);
    std::copy_n(from, to.cols, to.row(sentence));
  }
}

}  // namespace

Bidirectional Bidirectional::create(ParamStore& store, const std::string& name, const Cell& cell, Index input_size,
                                    Index hidden_size, bool bidirectional, const RecurrentInit& init) {
  Bidirectional layer;
  layer.directions = bidirectional ? 2 : 1;
  for (Index d = 0; d < layer.directions; ++d) {
    layer.direction[d] =
        RecurrentLayer::create(store, name + (d == 0 ? ".forward" : ".backward"), cell, input_size, hidden_size, init);
  }
  return layer;
}

void Bidirectional::forward(Values values, std::span<const Index> offset, ConstMat x, Mat y, Mat final_h, Mat final_c,
                            Workspace& workspace, Saved* saved) const {
  CHECK(y.cols == size() && y.rows == x.rows && x.rows == offset.back(), "Bidirectional: shapes");
  Saved local;
  Saved& s = saved != nullptr ? *saved : local;
  const Index width = direction[0].hidden_size;
  s.time = TimeMajor::create(offset, workspace);
  for (Index d = 0; d < directions; ++d) {
    s.rows[d] = s.time.batch_rows(d == 1, workspace);
    const Mat input = workspace.mat(x.rows, x.cols);
    gather(x, s.rows[d], input);
    s.x[d] = input;
    s.trace[d] = direction[d].forward(values, s.time, input, {}, {}, workspace);
    scatter(s.trace[d].outputs(), s.rows[d], y.col_range(d * width, width));
    copy_final(s.trace[d].h, s.time, final_h.col_range(d * width, width));
    if (has_memory()) copy_final(s.trace[d].c, s.time, final_c.col_range(d * width, width));
  }
}

void Bidirectional::backward(Values values, const Saved& saved, ConstMat dy, ConstMat dfinal_h, ConstMat dfinal_c,
                             Mat dx, Grads grads, Workspace& workspace) const {
  const Workspace::Scope scope(workspace);
  const Index width = direction[0].hidden_size;
  const TimeMajor& time = saved.time;
  for (Index d = 0; d < directions; ++d) {
    const Mat dh_all = workspace.mat(time.rows(), width);
    gather(dy.col_range(d * width, width), saved.rows[d], dh_all);
    const Mat dh = workspace.zeros(time.sentences(), width);
    if (!dfinal_h.empty()) gather(dfinal_h.col_range(d * width, width), time.order, dh);
    const Mat dc = workspace.zeros(time.sentences(), has_memory() ? width : 0);
    if (!dfinal_c.empty() && has_memory()) gather(dfinal_c.col_range(d * width, width), time.order, dc);
    const Mat dinput = dx.empty() ? Mat{} : workspace.mat(time.rows(), dx.cols);
    direction[d].backward(values, saved.trace[d], saved.x[d], dh_all, dh, dc, dinput, grads, workspace);
    if (dx.empty()) continue;
    if (d == 0) {
      scatter(dinput, saved.rows[d], dx);
    } else {
      scatter_add(dinput, saved.rows[d], dx);
    }
  }
}

}  // namespace DRAGOMAN_NAMESPACE
