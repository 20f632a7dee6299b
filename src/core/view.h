// Matrix views as Eigen expressions: view(a) = view(b), view(a) += view(b), view(m).norm(). For whole-matrix arithmetic
// whose every element is one rounded operation, for decompositions and for oracles. Interfaces take Mat; the products of
// models are kernels/gemm.h, since the bits of Eigen's depend on how many rows there are.
#pragma once

#include <Eigen/Core>

#include "core/mat.h"

namespace DRAGOMAN_NAMESPACE {

using RowMajorMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatView = Eigen::Map<RowMajorMatrix, Eigen::Unaligned, Eigen::OuterStride<>>;
using ConstMatView = Eigen::Map<const RowMajorMatrix, Eigen::Unaligned, Eigen::OuterStride<>>;

inline MatView view(Mat m) { return {m.data, m.rows, m.cols, Eigen::OuterStride<>(m.ld)}; }
inline ConstMatView view(ConstMat m) { return {m.data, m.rows, m.cols, Eigen::OuterStride<>(m.ld)}; }

}  // namespace DRAGOMAN_NAMESPACE
