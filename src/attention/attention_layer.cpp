#include "attention/attention_layer.h"

#include <cmath>

#include "core/error.h"
#include "kernels/rows.h"

namespace DRAGOMAN_NAMESPACE {

AttentionLayer AttentionLayer::create(ParamStore& store, const std::string& name, const Score& score, Index query_size,
                                      Index key_size, Index size, const Init& init) {
  AttentionLayer layer;
  layer.score = &score;
  layer.query_size = query_size;
  layer.key_size = key_size;
  layer.size = score.projects_queries ? size : query_size;
  if (score.projects_queries) layer.query = Linear::create(store, name + ".query", query_size, layer.size, init, false);
  if (score.projects_keys) {
    layer.key = Linear::create(store, name + ".key", key_size, layer.size, init, score.has_key_bias);
  } else {
    CHECK(query_size == key_size, "attention without projection needs equal sizes");
  }
  if (score.learned == Score::Learned::vector) layer.v = store.add(name + ".v", 1, layer.size, init, ParamUse::other);
  if (score.learned == Score::Learned::scalar) layer.v = store.add_bias(name + ".v", 1, {Init::Kind::constant, 1});
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

AttentionInput AttentionLayer::input(Values values, ConstMat projected_queries, ConstMat projected_keys,
                                     ConstMat memory, std::span<const KeyRange> ranges) const {
  return {score, scale, v.in(values).data, projected_queries, projected_keys, memory, ranges, {}, {}};
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
