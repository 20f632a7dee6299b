// The attention file of `translate --attention`: one JSON object a line.
#pragma once

#include <string>
#include <vector>

#include "data/tokenizer_pair.h"
#include "translate/translator.h"

namespace dragoman {

/// {"source": [pieces, eos included], "target": [...], "attention": [{"kind", "layer", "head", "weights"}]},
/// weights[query][key].
std::string attention_json(const Translation& translation, const std::vector<AttentionMap>& maps,
                           const TokenizerPair& tokenizers);

}  // namespace dragoman
