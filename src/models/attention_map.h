// Attention weights of one sentence, for people to look at.
#pragma once

#include <vector>

#include "attention/multi_head.h"

namespace DRAGOMAN_NAMESPACE {

/// weights[query][key], and where they come from.
struct AttentionMap {
  const char* kind = "cross";  ///< encoder | decoder | cross
  Index layer = 0, head = 0;
  Index queries = 0, keys = 0;
  std::vector<Real> weights;
};

/// The maps of all heads of a layer, for the sentence whose queries are rows begin .. begin + queries - 1.
void add_head_maps(const char* kind, Index layer, const MultiHead& attention, const MultiHead::Saved& saved,
                   Index begin, Index queries, Index keys, Workspace& workspace, std::vector<AttentionMap>& maps);

}  // namespace DRAGOMAN_NAMESPACE
