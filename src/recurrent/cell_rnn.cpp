// h = tanh(gx + gh)
#include "kernels/vector_math.h"
#include "recurrent/cells.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

void forward(const CellForward& s) {
  for (Index i = 0; i < s.h.rows; ++i) {
    const Real* gx = s.gx.row(i);
    const Real* gh = s.gh.row(i);
    Real* h = s.h.row(i);
    vector_loop(s.h.cols, [=](Index j) { h[j] = tanh_of(gx[j] + gh[j]); });
  }
}

// dgx = dgh = dh (1 - h^2);  nothing passes h_prev by.
void backward(const CellBackward& s) {
  for (Index i = 0; i < s.dh.rows; ++i) {
    const Real* h = s.h.row(i);
    const Real* dh = s.dh.row(i);
    Real* dg = s.dgx.row(i);
    Real* dh_prev = s.dh_prev.row(i);
    for (Index j = 0; j < s.dh.cols; ++j) {
      dg[j] = dh[j] * (1 - h[j] * h[j]);
      dh_prev[j] = 0;
    }
  }
}

}  // namespace

const Cell kRnnCell = {.name = "rnn", .gates = 1, .forward = forward, .backward = backward};

}  // namespace DRAGOMAN_NAMESPACE
