#include "models/attention_map.h"

namespace DRAGOMAN_NAMESPACE {

void add_head_maps(const char* kind, Index layer, const MultiHead& attention, const MultiHead::Saved& saved,
                   Index begin, Index queries, Index keys, Workspace& workspace, std::vector<AttentionMap>& maps) {
  for (Index head = 0; head < attention.options.heads; ++head) {
    AttentionMap map{kind, layer, head, queries, keys, std::vector<Real>(static_cast<std::size_t>(queries * keys))};
    attention.weights(saved, head, begin, {map.weights.data(), queries, keys, keys}, workspace);
    maps.push_back(std::move(map));
  }
}

}  // namespace DRAGOMAN_NAMESPACE
