// Products with weight matrices in the precision of the values or gradients. They read the packed copies when there
// are any (the bits are the same).
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

/// dW += x^T dy.
void add_weight_gradient(ConstMat x, ConstMat dy, const ParamRef& w, Grads grads);

}  // namespace DRAGOMAN_NAMESPACE
