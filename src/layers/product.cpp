#include "layers/product.h"

#include <vector>

#include "kernels/gemm.h"
#include "kernels/gemm_bf16.h"
#include "kernels/packed_weights.h"
#include "kernels/rows.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

bool bfloat16(Values values) { return values.precision == Precision::bfloat16; }

template <class Element = Real>
Packed<Element> packed(Values values, const ParamRef& w) {
  return values.packed == nullptr ? Packed<Element>{} : values.packed->forward<Element>(w);
}
template <class Element = Real>
Packed<Element> packed_transposed(Values values, const ParamRef& w) {
  return values.packed == nullptr ? Packed<Element>{} : values.packed->transposed<Element>(w);
}

Pair* pair_buffer(Index pairs) {
  thread_local std::vector<Pair> memory;
  if (static_cast<Index>(memory.size()) < pairs) memory.resize(static_cast<std::size_t>(pairs));
  return memory.data();
}
PackedPairs pairs(Values values, const ParamRef& w) {
  if (const PackedPairs p = packed<Pair>(values, w); !p.empty()) return p;
  return pack_pairs(w.in(values), pair_buffer(packed_pairs_size(w.rows, w.cols)));
}
PackedPairs pairs_transposed(Values values, const ParamRef& w) {
  if (const PackedPairs p = packed_transposed<Pair>(values, w); !p.empty()) return p;
  return pack_pairs_transposed(w.in(values), pair_buffer(packed_pairs_size(w.cols, w.rows)));
}

}  // namespace

void multiply(Values values, ConstMat x, const ParamRef& w, Mat y, bool accumulate) {
  if (bfloat16(values)) return gemm_bf16(x, pairs(values, w), y, accumulate);
  if (const PackedMat p = packed(values, w); !p.empty()) return gemm(x, p, y, accumulate);
  gemm(x, w.in(values), y, accumulate);
}

void multiply(Values values, ConstMat x, const ParamRef& w, const ParamRef& b, Mat y) {
  if (bfloat16(values)) return gemm_bias_bf16(x, pairs(values, w), b.in(values), y);
  if (const PackedMat p = packed(values, w); !p.empty()) return gemm_bias(x, p, b.in(values), y);
  gemm_bias(x, w.in(values), b.in(values), y);
}

void multiply_transposed(Values values, ConstMat dy, const ParamRef& w, Mat dx, bool accumulate) {
  if (bfloat16(values)) return gemm_bf16(dy, pairs_transposed(values, w), dx, accumulate);
  if (const PackedMat p = packed_transposed(values, w); !p.empty()) return gemm(dy, p, dx, accumulate);
  gemm_nt(dy, w.in(values), dx, accumulate);
}

void multiply_transposed(Values values, ConstMat x, const ParamRef& w, const ParamRef& b, Mat y) {
  if (bfloat16(values)) return gemm_bias_bf16(x, pairs_transposed(values, w), b.in(values), y);
  if (const PackedMat p = packed_transposed(values, w); !p.empty()) return gemm_bias(x, p, b.in(values), y);
  fill_rows(b.in(values), y);
  gemm_nt(x, w.in(values), y, true);
}

void add_weight_gradient(ConstMat x, ConstMat dy, const ParamRef& w, Grads grads) {
  if (grads.precision == Precision::bfloat16) return gemm_tn_bf16(x, dy, w.in(grads));
  gemm_tn(x, dy, w.in(grads));
}

}  // namespace DRAGOMAN_NAMESPACE
