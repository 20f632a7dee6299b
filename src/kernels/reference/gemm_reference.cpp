#include "kernels/reference/gemm_reference.h"

namespace DRAGOMAN_NAMESPACE::reference {
namespace {

template <class Term>
void product(Index k, Mat c, bool accumulate, Term term) {
  for (Index i = 0; i < c.rows; ++i) {
    for (Index j = 0; j < c.cols; ++j) {
      double sum = accumulate ? static_cast<double>(c(i, j)) : 0.0;
      for (Index p = 0; p < k; ++p) sum += term(i, j, p);
      c(i, j) = static_cast<Real>(sum);
    }
  }
}

double times(Real x, Real y) { return static_cast<double>(x) * static_cast<double>(y); }

}  // namespace

void gemm(ConstMat a, ConstMat b, Mat c, bool accumulate) {
  product(a.cols, c, accumulate, [=](Index i, Index j, Index p) { return times(a(i, p), b(p, j)); });
}

void gemm_nt(ConstMat a, ConstMat b, Mat c, bool accumulate) {
  product(a.cols, c, accumulate, [=](Index i, Index j, Index p) { return times(a(i, p), b(j, p)); });
}

void gemm_tn(ConstMat a, ConstMat b, Mat c) {
  product(a.rows, c, true, [=](Index i, Index j, Index p) { return times(a(p, i), b(p, j)); });
}

}  // namespace DRAGOMAN_NAMESPACE::reference
