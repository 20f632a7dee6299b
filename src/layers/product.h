// Products with weight matrices, which read the packed copies when there are any (the bits are the same).
#pragma once

#include "core/params.h"

namespace DRAGOMAN_NAMESPACE {

/// y = x W, or +=.
void multiply(Values values, ConstMat x, const ParamRef& w, Mat y, bool accumulate = false);
/// y = x W + b.
void multiply(Values values, ConstMat x, const ParamRef& w, const ParamRef& b, Mat y);
/// dx = dy W^T, or +=.
void multiply_transposed(Values values, ConstMat dy, const ParamRef& w, Mat dx, bool accumulate = false);
/// y = x W^T + b.
void multiply_transposed(Values values, ConstMat x, const ParamRef& w, const ParamRef& b, Mat y);

}  // namespace DRAGOMAN_NAMESPACE
