// The precision of products with weights.
#pragma once

#include <string>

namespace dragoman {

/// bfloat16: both factors are rounded to bfloat16, sums stay float32. Everything else (values, statistics, softmax,
/// updates, products of attention) is float32 in either case.
enum class Precision { float32, bfloat16 };

/// Of a name that the configuration has checked.
inline Precision precision_of(const std::string& name) {
  return name == "bfloat16" ? Precision::bfloat16 : Precision::float32;
}

}  // namespace dragoman
