// Matrix products written as their definition: the slow reference of kernels/gemm.h.
#pragma once

#include "core/mat.h"

namespace DRAGOMAN_NAMESPACE::reference {

/// c_ij = sum_p a_ip b_pj, or += when accumulate is set. Sums are double and rounded once.
void gemm(ConstMat a, ConstMat b, Mat c, bool accumulate = false);
/// c_ij = sum_p a_ip b_jp, or +=.
void gemm_nt(ConstMat a, ConstMat b, Mat c, bool accumulate = false);
/// c_ij += sum_p a_pi b_pj.
void gemm_tn(ConstMat a, ConstMat b, Mat c);

}  // namespace DRAGOMAN_NAMESPACE::reference
