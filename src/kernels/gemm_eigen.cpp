#include <Eigen/Core>

#include "kernels/gemm.h"

namespace DRAGOMAN_NAMESPACE {

void gemm_tn(ConstMat a, ConstMat b, Mat c) {
  if (a.rows == 0 || c.empty()) return;
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Stride = Eigen::OuterStride<>;
  const Eigen::Map<const Matrix, 0, Stride> left(a.data, a.rows, a.cols, Stride(a.ld));
  const Eigen::Map<const Matrix, 0, Stride> right(b.data, b.rows, b.cols, Stride(b.ld));
  Eigen::Map<Matrix, 0, Stride> product(c.data, c.rows, c.cols, Stride(c.ld));
  product.noalias() += left.transpose() * right;
}

const char* gemm_backend() { return "Eigen"; }

}  // namespace DRAGOMAN_NAMESPACE
