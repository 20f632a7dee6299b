// Which pieces two vocabularies have in common.
#pragma once

#include <vector>

#include "data/tokenizer.h"

namespace dragoman {

/// For each id of `now` the id of the same piece in `then`, -1 where there is none; unk, bos and eos are those of both.
[[nodiscard]] std::vector<TokenId> shared_pieces(const Tokenizer& now, const Tokenizer& then);

}  // namespace dragoman
