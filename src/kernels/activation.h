// Activations of a feed-forward layer, element by element. Adding one: a pair of functions and a line in the table.
#pragma once

#include <span>
#include <string>

#include "core/mat.h"

namespace DRAGOMAN_NAMESPACE {

struct Activation {
  const char* name;
  /// y = f(x)
  void (*forward)(ConstMat x, Mat y);
  /// dx = dy f'(x); dx may be dy.
  void (*backward)(ConstMat x, ConstMat dy, Mat dx);
};

///   relu   max(x, 0)
///   gelu   x P(Z <= x) = x (1 + erf(x / sqrt 2)) / 2                       (Hendrycks and Gimpel 2016)
///   swish  x / (1 + exp(-x))                                               (Ramachandran et al. 2017; silu)
std::span<const Activation> activations();
const Activation& activation_by_name(const std::string& name);

}  // namespace DRAGOMAN_NAMESPACE
