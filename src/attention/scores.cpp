#include "attention/scores.h"

namespace DRAGOMAN_NAMESPACE {

Table<Score>& scores() {
  static Table<Score> table("attention score", {&kDotScore, &kScaledDotScore, &kGeneralScore, &kAdditiveScore});
  return table;
}

}  // namespace DRAGOMAN_NAMESPACE
