#include "extensions/extensions.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

[[maybe_unused]] const bool kAdded = [] {
  cells().add(kMinimalGatedUnit);
  scores().add(kCosineScore);
  optimizer_rules().add(kLion);
  schedule_shapes().add(kQuadraticSchedule);
  return true;
}();

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
