// Gates in storage order r, z, n:
//   r = sigmoid(gx_r + gh_r)   z = sigmoid(gx_z + gh_z)   u = gh_n + c_n   n = tanh(gx_n + r u)
//   h = (1 - z) n + z h_prev
// Saved: r, z, n, u.
#include "kernels/vector_math.h"
#include "recurrent/cells.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

void forward(const CellForward& s) {
  const Index size = s.h.cols;
  const Real* bias = s.hidden_bias.data;
  for (Index i = 0; i < s.h.rows; ++i) {
    const Real* gx = s.gx.row(i);
    const Real* gh = s.gh.row(i);
    const Real* h_prev = s.h_prev.row(i);
    Real* h = s.h.row(i);
    Real* saved = s.saved.row(i);
    vector_loop(size, [=](Index j) {
      const Real r = sigmoid_of(gx[j] + gh[j]);
      const Real z = sigmoid_of(gx[size + j] + gh[size + j]);
      const Real u = gh[2 * size + j] + bias[j];
      const Real n = tanh_of(gx[2 * size + j] + r * u);
      h[j] = (1 - z) * n + z * h_prev[j];
      saved[j] = r;
      saved[size + j] = z;
      saved[2 * size + j] = n;
      saved[3 * size + j] = u;
    });
  }
}

// dn = dh (1 - z)      dz = dh (h_prev - n)      dh_prev = dh z (+ dgh W_h^T, by the layer)
// da_n = dn (1 - n^2)  da_z = dz z (1 - z)       da_r = da_n u r (1 - r)
// dgx = [da_r, da_z, da_n]   dgh = [da_r, da_z, da_n r]
void backward(const CellBackward& s) {
  const Index size = s.dh.cols;
  for (Index i = 0; i < s.dh.rows; ++i) {
    const Real* saved = s.saved.row(i);
    const Real* h_prev = s.h_prev.row(i);
    const Real* dh = s.dh.row(i);
    Real* dgx = s.dgx.row(i);
    Real* dgh = s.dgh.row(i);
    Real* dh_prev = s.dh_prev.row(i);
    vector_loop(size, [=](Index j) {
      const Real r = saved[j];
      const Real z = saved[size + j];
      const Real n = saved[2 * size + j];
      const Real u = saved[3 * size + j];
      const Real da_n = dh[j] * (1 - z) * (1 - n * n);
      const Real da_z = dh[j] * (h_prev[j] - n) * z * (1 - z);
      const Real da_r = da_n * u * r * (1 - r);
      dh_prev[j] = dh[j] * z;
      dgx[j] = da_r;
      dgx[size + j] = da_z;
      dgx[2 * size + j] = da_n;
      dgh[j] = da_r;
      dgh[size + j] = da_z;
      dgh[2 * size + j] = da_n * r;
    });
  }
}

}  // namespace

const Cell kGruCell = {.name = "gru",
                       .gates = 3,
                       .saved = 4,
                       .hidden_bias_gate = 2,
                       .distinct_gradients = true,
                       .forward = forward,
                       .backward = backward};

}  // namespace DRAGOMAN_NAMESPACE
