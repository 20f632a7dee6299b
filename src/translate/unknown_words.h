// What may stand for an unknown token of a translation: the source piece that the decoder looked at.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/attention_map.h"

namespace DRAGOMAN_NAMESPACE {

/// For each unk in `target`, in order, the source piece with the largest attention weight in the step that made it: in
/// the last layer between encoder and decoder, its heads added up; of equal weights the first. `surfaces` are the source
/// pieces as text; eos, the last key, stands for none and is left out.
std::vector<std::string> attended_pieces(const std::vector<AttentionMap>& maps, std::span<const TokenId> target,
                                         const std::vector<std::string>& surfaces);

}  // namespace DRAGOMAN_NAMESPACE
