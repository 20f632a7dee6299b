#include "decode/search_rules.h"

#include <algorithm>
#include <cmath>

namespace DRAGOMAN_NAMESPACE {

double length_penalty(const DecodeOptions& options, Index length) {
  const auto n = static_cast<double>(length);
  if (options.length_penalty == "average") return std::pow(n, options.alpha);
  if (options.length_penalty == "gnmt") return std::pow((5 + n) / 6, options.alpha);
  return 1;
}

Index length_cap(const DecodeOptions& options, Index source_pieces, Index max_target_tokens) {
  const auto pieces =
      static_cast<Index>(options.max_length_factor * static_cast<double>(source_pieces)) + options.max_length_extra;
  return std::min(pieces, max_target_tokens - 1);
}

std::function<std::size_t(std::size_t)> length_caps(const DecodeOptions& options, Index max_target_tokens) {
  return [options, max_target_tokens](std::size_t source_pieces) {
    return static_cast<std::size_t>(length_cap(options, static_cast<Index>(source_pieces), max_target_tokens));
  };
}

namespace {

bool is_text(const DecodeOptions& options, const TextRules& text, TokenId id) {
  return id != kBos && id != kEos && (id != kUnk || options.allow_unknown) && !text.bars(id);
}

}  // namespace

bool allowed(const DecodeOptions& options, const TextRules& text, TokenId id, Index pieces, Index cap) {
  if (id == kEos) return pieces >= options.min_length || pieces >= cap;
  return pieces < cap && is_text(options, text, id);
}

bool is_cut(const DecodeOptions& options, const TextRules& text, const Real* row, Index n, Index pieces, Index cap) {
  if (pieces < cap) return false;
  for (TokenId id = 0; id < n; ++id) {
    if (row[id] > row[kEos] && is_text(options, text, id)) return true;
  }
  return false;
}

}  // namespace DRAGOMAN_NAMESPACE
