// Attention weights of one sentence, for people to look at.
#pragma once

#include <functional>
#include <vector>

#include "attention/multi_head.h"

namespace DRAGOMAN_NAMESPACE {

/// The weights [queries, keys] of one head for one sentence. They are there while a visitor looks at them: maps grow
/// with the square of the length, and a model has hundreds of heads.
struct HeadWeights {
  const char* kind = "cross";  ///< encoder | decoder | cross
  Index layer = 0, head = 0;
  ConstMat weights;
};
using VisitHead = std::function<void(const HeadWeights&)>;

/// Visits all heads of a layer, for the sentence whose queries are rows begin .. begin + queries - 1.
void visit_heads(const char* kind, Index layer, const MultiHead& attention, const MultiHead::Saved& saved, Index begin,
                 Index queries, Index keys, Workspace& workspace, const VisitHead& visit);

/// weights[query][key] for keeps, and where they come from.
struct AttentionMap {
  const char* kind = "cross";
  Index layer = 0, head = 0;
  Index queries = 0, keys = 0;
  std::vector<Real> weights;
};
AttentionMap kept(const HeadWeights& head);

}  // namespace DRAGOMAN_NAMESPACE
