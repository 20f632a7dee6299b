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

bool allowed(const DecodeOptions& options, TokenId id, Index pieces, Index cap) {
  if (id == kEos) return pieces >= options.min_length || pieces >= cap;
  return pieces < cap && id != kBos && (id != kUnk || options.allow_unknown);
}

}  // namespace DRAGOMAN_NAMESPACE
