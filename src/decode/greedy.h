// Greedy search: always the most probable next token.
#pragma once

#include <vector>

#include "decode/decode_options.h"
#include "decode/hypothesis.h"
#include "decode/search_rules.h"
#include "models/seq2seq.h"

namespace DRAGOMAN_NAMESPACE {

/// One hypothesis a sentence. `source` sentences end in eos. Ties: the lower id.
std::vector<Hypothesis> greedy_search(const Seq2Seq& model, Values values, const Sentences& source,
                                      const DecodeOptions& options, Workspace& workspace, const TextRules& text = {});

}  // namespace DRAGOMAN_NAMESPACE
