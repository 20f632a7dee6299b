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

/// Returns the CRC-32 of the file.
std::uint32_t save_model(const std::string& path, const ParamStore& store);
/// The same; the file is to be committed by the caller.
void write_model(AtomicFile& file, const ParamStore& store);

/// Reads every parameter into `numbers`. UserError: a newer format, a missing tensor, another shape, a tensor that
/// the model doesn't have, NaN or infinity.
void load_tensors(const std::string& path, const ParamStore& store, const std::vector<std::string>& prefixes,
                  const std::vector<Real*>& numbers);
/// Allocates only when the file's shapes are those of the store.
void load_model(const std::string& path, ParamStore& store);
/// Looks at names and shapes only. UserError as in load_tensors.
void check_model(const std::string& path, const ParamStore& store);

/// A matrix with a row (or column) for each piece of a vocabulary, in a file made with another vocabulary.
struct PieceRows {
  std::string name;
  bool columns = false;
  std::vector<TokenId> from;  ///< for each piece its place in the file; -1: not there
  Index size = 0;             ///< pieces in the file
};

/// Takes the tensors that have the same name and shape, and of those in `rows` the pieces that the file has; says which
/// parameters were not found. UserError: none fits.
std::vector<std::string> init_from_model(const std::string& path, ParamStore& store,
                                         const std::vector<PieceRows>& rows = {});

/// Names of the parameters of the store that the file has, too, whatever their shape.
std::vector<std::string> common_names(const std::string& path, const ParamStore& store);

}  // namespace DRAGOMAN_NAMESPACE
