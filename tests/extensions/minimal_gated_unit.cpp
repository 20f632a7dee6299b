// The minimal gated unit (Zhou et al. 2016), its reset after the product as in our GRU. Gates in storage order f, n:
//   f = sigmoid(gx_f + gh_f)   u = gh_n + c_n   n = tanh(gx_n + f u)   h = (1 - f) h_prev + f n
// Saved: f, n, u.
#include "extensions/extensions.h"
#include "kernels/vector_math.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

void forward(const CellForward& s) {
  const Index size = s.h.cols;
  for (Index i = 0; i < s.h.rows; ++i) {
    for (Index j = 0; j < size; ++j) {
      const Real f = sigmoid_of(s.gx(i, j) + s.gh(i, j));
      const Real u = s.gh(i, size + j) + s.hidden_bias(0, j);
      const Real n = tanh_of(s.gx(i, size + j) + f * u);
      s.h(i, j) = (1 - f) * s.h_prev(i, j) + f * n;
      s.saved(i, j) = f;
      s.saved(i, size + j) = n;
      s.saved(i, 2 * size + j) = u;
    }
  }
}

// da_n = dh f (1 - n^2)   da_f = (dh (n - h_prev) + da_n u) f (1 - f)   dh_prev = dh (1 - f)
// dgx = [da_f, da_n]      dgh = [da_f, da_n f]
void backward(const CellBackward& s) {
  const Index size = s.dh.cols;
  for (Index i = 0; i < s.dh.rows; ++i) {
    for (Index j = 0; j < size; ++j) {
      const Real f = s.saved(i, j);
      const Real n = s.saved(i, size + j);
      const Real u = s.saved(i, 2 * size + j);
      const Real dh = s.dh(i, j);
      const Real da_n = dh * f * (1 - n * n);
      const Real da_f = (dh * (n - s.h_prev(i, j)) + da_n * u) * f * (1 - f);
      s.dh_prev(i, j) = dh * (1 - f);
      s.dgx(i, j) = s.dgh(i, j) = da_f;
      s.dgx(i, size + j) = da_n;
      s.dgh(i, size + j) = da_n * f;
    }
  }
}

}  // namespace

const Cell kMinimalGatedUnit = {.name = "mgu",
                                .gates = 2,
                                .saved = 3,
                                .hidden_bias_gate = 1,
                                .distinct_gradients = true,
                                .forward = forward,
                                .backward = backward};

}  // namespace DRAGOMAN_NAMESPACE
