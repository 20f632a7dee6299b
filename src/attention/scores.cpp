#include "attention/scores.h"

#include <array>

#include "core/error.h"

namespace DRAGOMAN_NAMESPACE {

std::span<const Score* const> scores() {
  static constexpr std::array<const Score*, 4> kTable = {&kDotScore, &kScaledDotScore, &kGeneralScore, &kAdditiveScore};
  return kTable;
}

const Score& score_by_name(const std::string& name) {
  for (const Score* score : scores()) {
    if (name == score->name) return *score;
  }
  CHECK(false, "unknown attention score " + name);
  return kDotScore;
}

}  // namespace DRAGOMAN_NAMESPACE
