// The update at which numbers stopped being finite, in a form that can be run again.
//
// A directory with
//   batch.json         update, seed, learning rate, the problem, and the sentences of the micro-batches: ids, line, text
//   model.safetensors  the weights before the update (absent when the update itself made them infinite)
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/params.h"
#include "data/pair_encoder.h"

namespace DRAGOMAN_NAMESPACE {

struct DivergedBatch {
  std::int64_t update = 0;
  std::uint64_t seed = 0;
  double learning_rate = 0;
  std::string problem;         ///< what is not finite
  std::vector<Batch> batches;  ///< the micro-batches
};

/// Writes the directory whole. weights null: they are gone. UserError: not writable.
void write_diverged(const std::filesystem::path& directory, const DivergedBatch& diverged, const PairEncoder& encoder,
                    const ParamStore* weights);

/// UserError: absent or damaged.
DivergedBatch read_diverged(const std::filesystem::path& directory);

}  // namespace DRAGOMAN_NAMESPACE
