// MODEL_DIR/model.safetensors: the best model so far, which `translate` loads.
//
// It is put in its place after the checkpoint that knows of it was written. So a checkpoint and the file belong together
// at any moment, but for one: after a crash in between the checkpoint of that update has all that makes the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/params.h"
#include "io/atomic_file.h"
#include "train/checkpoint.h"

namespace DRAGOMAN_NAMESPACE {

class BestModel {
 public:
  explicit BestModel(const std::filesystem::path& model_dir);

  /// Writes the model, and returns the checksum of the file, which is not in its place yet.
  [[nodiscard]] std::uint32_t prepare(const ParamStore& store);
  [[nodiscard]] bool prepared() const { return prepared_.has_value(); }
  /// What was prepared; else does nothing.
  void put_in_place();

  /// Is the file that of the state (or has the state none)?
  [[nodiscard]] bool belongs_to(const TrainingState& state) const;
  /// Copies it from the checkpoint of its update. False: that is gone, or the best was a mean.
  [[nodiscard]] bool restore(const Checkpoints& checkpoints, const TrainingState& state) const;
  /// Is it there, or can it be made again, by restore() or from the checkpoint of this state?
  [[nodiscard]] bool available(const Checkpoints& checkpoints, const TrainingState& state) const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<AtomicFile> prepared_;
};

}  // namespace DRAGOMAN_NAMESPACE
