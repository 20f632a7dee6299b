// Gates in storage order i, f, g, o:
//   i, f, o = sigmoid(gx + gh)   g = tanh(gx_g + gh_g)   c = f c_prev + i g   h = o tanh(c)
// Saved: i, f, g, o, tanh(c).
#include "kernels/vector_math.h"
#include "recurrent/cells.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

void forward(const CellForward& s) {
  const Index size = s.h.cols;
  for (Index row = 0; row < s.h.rows; ++row) {
    const Real* gx = s.gx.row(row);
    const Real* gh = s.gh.row(row);
    const Real* c_prev = s.c_prev.row(row);
    Real* h = s.h.row(row);
    Real* c = s.c.row(row);
    Real* saved = s.saved.row(row);
    vector_loop(size, [=](Index j) {
      const Real i = sigmoid_of(gx[j] + gh[j]);
      const Real f = sigmoid_of(gx[size + j] + gh[size + j]);
      const Real g = tanh_of(gx[2 * size + j] + gh[2 * size + j]);
      const Real o = sigmoid_of(gx[3 * size + j] + gh[3 * size + j]);
      const Real memory = f * c_prev[j] + i * g;
      const Real squashed = tanh_of(memory);
      c[j] = memory;
      h[j] = o * squashed;
      saved[j] = i;
      saved[size + j] = f;
      saved[2 * size + j] = g;
      saved[3 * size + j] = o;
      saved[4 * size + j] = squashed;
    });
  }
}

// dc += dh o (1 - tanh(c)^2)   di = dc g   df = dc c_prev   dg = dc i   do = dh tanh(c)   dc_prev = dc f
void backward(const CellBackward& s) {
  const Index size = s.dh.cols;
  for (Index row = 0; row < s.dh.rows; ++row) {
    const Real* saved = s.saved.row(row);
    const Real* c_prev = s.c_prev.row(row);
    const Real* dh = s.dh.row(row);
    Real* dc = s.dc.row(row);
    Real* da = s.dgx.row(row);
    Real* dh_prev = s.dh_prev.row(row);
    vector_loop(size, [=](Index j) {
      const Real i = saved[j];
      const Real f = saved[size + j];
      const Real g = saved[2 * size + j];
      const Real o = saved[3 * size + j];
      const Real squashed = saved[4 * size + j];
      const Real total = dc[j] + dh[j] * o * (1 - squashed * squashed);
      da[j] = total * g * i * (1 - i);
      da[size + j] = total * c_prev[j] * f * (1 - f);
      da[2 * size + j] = total * i * (1 - g * g);
      da[3 * size + j] = dh[j] * squashed * o * (1 - o);
      dc[j] = total * f;
      dh_prev[j] = 0;
    });
  }
}

}  // namespace

const Cell kLstmCell = {.name = "lstm",
                        .gates = 4,
                        .saved = 5,
                        .has_memory = true,
                        .forget_gate = 1,
                        .forward = forward,
                        .backward = backward};

}  // namespace DRAGOMAN_NAMESPACE
