#include "extensions/extensions.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

[[maybe_unused]] const bool kAdded = [] {
  cells().add(kMinimalGatedUnit);
  scores().add(kCosineScore);
  optimizer_rules().add(kLion);
  schedule_shapes().add(kQuadraticSchedule);
  validation_metrics().add(kLengthRatio);
  tokenizer_kinds().add(kByteTokenizer);
  return true;
}();

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
