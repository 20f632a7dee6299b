#include "attention/attention.h"

#include <cmath>

#include "core/error.h"
#include "kernels/rows.h"
#include "kernels/softmax.h"
#include "kernels/vector_math.h"

namespace DRAGOMAN_NAMESPACE {

void attend(const Score& score, ConstMat queries, ConstMat keys, ConstMat values, std::span<const KeyRange> ranges,
            const Real* v, Real scale, Mat weights, Mat context) {
  for (Index i = 0; i < queries.rows; ++i) {
    const KeyRange range = ranges[i];
    Real* a = weights.row(i);
    score.forward(queries.row(i), keys.row_range(range.begin, range.size()), v, scale, a);
    softmax(a, range.size());
    Real* c = context.row(i);
    std::fill_n(c, context.cols, Real(0));
    for (Index j = 0; j < range.size(); ++j) add_scaled(a[j], values.row(range.begin + j), c, context.cols);
  }
}

void attend_backward(const Score& score, ConstMat queries, ConstMat keys, ConstMat values,
                     std::span<const KeyRange> ranges, const Real* v, Real scale, ConstMat weights, ConstMat dcontext,
                     Mat dqueries, Mat dkeys, Mat dvalues, Real* dv, Workspace& workspace) {
  const Workspace::Scope scope(workspace);
  Real* de = workspace.array<Real>(weights.cols).data();
  for (Index i = 0; i < queries.rows; ++i) {
    const KeyRange range = ranges[i];
    const Real* a = weights.row(i);
    const Real* dc = dcontext.row(i);
    for (Index j = 0; j < range.size(); ++j) {
      de[j] = dot(dc, values.row(range.begin + j), values.cols);
      add_scaled(a[j], dc, dvalues.row(range.begin + j), values.cols);
    }
    softmax_backward(a, de, de, range.size());
    std::fill_n(dqueries.row(i), dqueries.cols, Real(0));
    score.backward(queries.row(i), keys.row_range(range.begin, range.size()), v, scale, de, dqueries.row(i),
                   dkeys.row_range(range.begin, range.size()), dv);
  }
}

AttentionLayer AttentionLayer::create(ParamStore& store, const std::string& name, const Score& score, Index query_size,
                                      Index key_size, Index size, const Init& init) {
  AttentionLayer layer;
  layer.score = &score;
  layer.query_size = query_size;
  layer.key_size = key_size;
  layer.size = score.projects_queries ? size : query_size;
  if (score.projects_queries) layer.query = Linear::create(store, name + ".query", query_size, layer.size, init, false);
  if (score.projects_keys) {
    layer.key = Linear::create(store, name + ".key", key_size, layer.size, init, score.has_vector);
  } else {
    CHECK(query_size == key_size, "attention without projection needs equal sizes");
  }
  if (score.has_vector) layer.v = store.add(name + ".v", 1, layer.size, init);
  if (score.scaled) layer.scale = 1 / std::sqrt(static_cast<Real>(layer.size));
  return layer;
}

ConstMat AttentionLayer::project_keys(Values values, ConstMat keys, Workspace& workspace) const {
  if (!score->projects_keys) return keys;
  const Mat projected = workspace.mat(keys.rows, size);
  key.forward(values, keys, projected);
  return projected;
}

void AttentionLayer::project_queries(Values values, ConstMat queries, Mat out) const {
  if (score->projects_queries) {
    query.forward(values, queries, out);
  } else {
    copy(queries, out);
  }
}

void AttentionLayer::forward(Values values, ConstMat projected_queries, ConstMat projected_keys, ConstMat memory,
                             std::span<const KeyRange> ranges, Mat weights, Mat context) const {
  attend(*score, projected_queries, projected_keys, memory, ranges, v.in(values).data, scale, weights, context);
}

void AttentionLayer::backward(Values values, ConstMat projected_queries, ConstMat projected_keys, ConstMat memory,
                              std::span<const KeyRange> ranges, ConstMat weights, ConstMat dcontext,
                              Mat dprojected_queries, Mat dprojected_keys, Mat dmemory, Grads grads,
                              Workspace& workspace) const {
  attend_backward(*score, projected_queries, projected_keys, memory, ranges, v.in(values).data, scale, weights,
                  dcontext, dprojected_queries, dprojected_keys, dmemory, v.in(grads).data, workspace);
}

void AttentionLayer::keys_backward(Values values, ConstMat keys, ConstMat dprojected_keys, Mat dkeys_acc,
                                   Grads grads) const {
  if (score->projects_keys) {
    key.backward(values, keys, dprojected_keys, dkeys_acc, grads, true);
  } else {
    add(dprojected_keys, dkeys_acc);
  }
}

}  // namespace DRAGOMAN_NAMESPACE
