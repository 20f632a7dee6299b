// Parameters in safetensors files: names are paths such as decoder.0.w_x, biases have one dimension, linear
// weights are [in, out], tied matrices are stored once. Metadata: format (a number; newer ones are refused).
#pragma once

#include <string>
#include <vector>

#include "core/params.h"
#include "io/safetensors.h"

namespace DRAGOMAN_NAMESPACE {

inline constexpr int kModelFormat = 1;

/// `numbers` has the layout of the store (its values, or a moment of the optimizer).
std::vector<TensorSource> as_tensors(const ParamStore& store, const Real* numbers, const std::string& prefix = "");

void save_model(const std::string& path, const ParamStore& store);

/// Reads every parameter into `numbers`. UserError: a newer format, a missing tensor, another shape, a tensor that
/// the model doesn't have, NaN or infinity.
void load_tensors(const std::string& path, const ParamStore& store, const std::vector<std::string>& prefixes,
                  const std::vector<Real*>& numbers);
/// Allocates only when the file's shapes are those of the store.
void load_model(const std::string& path, ParamStore& store);
/// Looks at names and shapes only. UserError as in load_tensors.
void check_model(const std::string& path, const ParamStore& store);

/// Takes the tensors that have the same name and shape; says which parameters were not found. UserError: none fits.
std::vector<std::string> init_from_model(const std::string& path, ParamStore& store);

}  // namespace DRAGOMAN_NAMESPACE
