#include <dnnl.h>

#include "core/error.h"
#include "kernels/gemm.h"

namespace DRAGOMAN_NAMESPACE {

void gemm_tn(ConstMat a, ConstMat b, Mat c) {
  if (a.rows == 0 || c.empty()) return;
  const dnnl_status_t status =
      dnnl_sgemm('T', 'N', a.cols, b.cols, a.rows, 1.0F, a.data, a.ld, b.data, b.ld, 1.0F, c.data, c.ld);
  CHECK(status == dnnl_success, "dnnl_sgemm failed");
}

const char* gemm_backend() { return "oneDNN"; }

}  // namespace DRAGOMAN_NAMESPACE
