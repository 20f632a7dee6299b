#include "models/attention_map.h"

namespace DRAGOMAN_NAMESPACE {

void visit_heads(const char* kind, Index layer, const MultiHead& attention, const MultiHead::Saved& saved, Index begin,
                 Index queries, Index keys, Workspace& workspace, const VisitHead& visit) {
  for (Index head = 0; head < attention.options.heads; ++head) {
    const Workspace::Scope scope(workspace);
    const Mat weights = workspace.mat(queries, keys);
    attention.weights(saved, head, begin, weights, workspace);
    visit({kind, layer, head, weights});
  }
}

AttentionMap kept(const HeadWeights& head) {
  const ConstMat from = head.weights;
  AttentionMap map{head.kind, head.layer, head.head, from.rows, from.cols, {}};
  for (Index q = 0; q < from.rows; ++q) map.weights.insert(map.weights.end(), from.row(q), from.row(q) + from.cols);
  return map;
}

}  // namespace DRAGOMAN_NAMESPACE
