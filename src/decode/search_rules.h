// What greedy and beam search share: which ids may follow, how long, how scores compare.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/real.h"
#include "decode/decode_options.h"
#include "kernels/vector_math.h"

namespace DRAGOMAN_NAMESPACE {

/// A model whose logits are not finite can't translate.
struct NotFinite : std::runtime_error {
  NotFinite() : std::runtime_error("the model's output is not finite: its weights are too large to be of use") {}
};

/// penalty(length), length counting eos:  none 1;  average length^alpha;  gnmt ((5 + length) / 6)^alpha
/// (Wu et al. 2016, equation 14).
double length_penalty(const DecodeOptions& options, Index length);

/// Pieces that a translation of `source_pieces` may have at most: factor x source_pieces + extra, and one less than
/// the tokens that the model takes (eos).
Index length_cap(const DecodeOptions& options, Index source_pieces, Index max_target_tokens);

/// The same as a function of the source's pieces, for the report on training data.
std::function<std::size_t(std::size_t)> length_caps(const DecodeOptions& options, Index max_target_tokens);

/// What a search has to know of the text behind the ids.
struct TextRules {
  std::span<const char> barred;  ///< by id: never generated, since it is no text (a control token); empty: none
  Index n_best = 1;              ///< beam search: so many hypotheses of different text, as far as there are
  std::function<std::string(Index sentence, const std::vector<TokenId>& ids)> text = {};  ///< for n_best > 1

  [[nodiscard]] bool bars(TokenId id) const {
    return static_cast<std::size_t>(id) < barred.size() && barred[static_cast<std::size_t>(id)] != 0;
  }
};

/// May `id` follow `pieces` pieces? bos and what `text` bars never; unk only if allowed; eos from min_length on; at the cap only eos.
bool allowed(const DecodeOptions& options, const TextRules& text, TokenId id, Index pieces, Index cap);

/// Does the cap end a hypothesis of so many pieces, whose next logits are `row`, against the model's will?
bool is_cut(const DecodeOptions& options, const TextRules& text, const Real* row, Index n, Index pieces, Index cap);

/// Calls visit(id, logit) for the ids of a row in ascending order, but leaves out blocks of which none is above `bound()`
/// (asked again for each block), found with vector operations.
template <class Bound, class Visit>
void visit_above(const Real* row, Index n, Bound bound, Visit visit) {
  constexpr Index kBlock = 64;
  for (Index begin = 0; begin < n; begin += kBlock) {
    const Index end = std::min(begin + kBlock, n);
    if (!(max_of(row + begin, end - begin) > bound())) continue;
    for (Index id = begin; id < end; ++id) visit(static_cast<TokenId>(id), row[id]);
  }
}

}  // namespace DRAGOMAN_NAMESPACE
