#include "layers/product.h"

#include "kernels/gemm.h"
#include "kernels/packed_weights.h"
#include "kernels/rows.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

PackedMat packed(Values values, const ParamRef& w) {
  return values.packed == nullptr ? PackedMat{} : values.packed->forward(w);
}
PackedMat packed_transposed(Values values, const ParamRef& w) {
  return values.packed == nullptr ? PackedMat{} : values.packed->transposed(w);
}

}  // namespace

void multiply(Values values, ConstMat x, const ParamRef& w, Mat y, bool accumulate) {
  if (const PackedMat p = packed(values, w); !p.empty()) return gemm(x, p, y, accumulate);
  gemm(x, w.in(values), y, accumulate);
}

void multiply(Values values, ConstMat x, const ParamRef& w, const ParamRef& b, Mat y) {
  if (const PackedMat p = packed(values, w); !p.empty()) return gemm_bias(x, p, b.in(values), y);
  gemm_bias(x, w.in(values), b.in(values), y);
}

void multiply_transposed(Values values, ConstMat dy, const ParamRef& w, Mat dx, bool accumulate) {
  if (const PackedMat p = packed_transposed(values, w); !p.empty()) return gemm(dy, p, dx, accumulate);
  gemm_nt(dy, w.in(values), dx, accumulate);
}

void multiply_transposed(Values values, ConstMat x, const ParamRef& w, const ParamRef& b, Mat y) {
  if (const PackedMat p = packed_transposed(values, w); !p.empty()) return gemm_bias(x, p, b.in(values), y);
  fill_rows(b.in(values), y);
  gemm_nt(x, w.in(values), y, true);
}

}  // namespace DRAGOMAN_NAMESPACE
