// Checkpoints: MODEL_DIR/checkpoints/NNNNNN/ (the update) with
//   model.safetensors      the parameters
//   optimizer.safetensors  the moments and the moving average of the weights (if there are any)
//   state.json             everything else that training needs to go on exactly (training_state.h), and checksums of
//                          all three
// Each is written whole under a temporary name, fsynced and renamed; checkpoints/latest names the last one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/params.h"
#include "train/optimizer.h"
#include "train/training_state.h"

namespace DRAGOMAN_NAMESPACE {

class Checkpoints {
 public:
  explicit Checkpoints(const std::filesystem::path& model_dir);

  /// Saves, moves `latest`, and prunes.
  void save(const ParamStore& store, const Optimizer& optimizer, TrainingState state) const;
  /// Removes every checkpoint but those of the state's update, of state.before and of state.scheduled, and what a crash has left.
  /// With `later` false those after the state's update stay, too: training may have gone back to it just now.
  void prune(const TrainingState& state, bool later = true) const;
  /// model.safetensors of the scheduled checkpoints before the state's update, at most `count` of the latest, oldest
  /// first.
  [[nodiscard]] std::vector<std::string> models_before(const TrainingState& state, std::int64_t count) const;
  /// What `latest` names. UserError: nothing.
  [[nodiscard]] std::int64_t latest_update() const;
  /// UserError: there is none, or it is damaged.
  [[nodiscard]] TrainingState latest_state() const;
  /// The same of the checkpoint after this update.
  [[nodiscard]] TrainingState state_of(std::int64_t update) const;
  /// The state, with all files of its checkpoint compared with their checksums. UserError: one is damaged or absent.
  [[nodiscard]] TrainingState whole_state_of(std::int64_t update) const;
  /// Updates of those whose files are all there and whole, oldest first.
  [[nodiscard]] std::vector<std::int64_t> whole_ones() const;
  /// Training goes on from this one.
  void make_latest(std::int64_t update) const;
  [[nodiscard]] std::filesystem::path path_of(std::int64_t update) const;
  /// The tensors of that state's checkpoint. UserError: damaged, or of another model.
  void load(const TrainingState& state, ParamStore& store, Optimizer& optimizer) const;

 private:
  /// Of all folders that are named as checkpoints, oldest first.
  [[nodiscard]] std::vector<std::int64_t> updates() const;

  std::filesystem::path directory_;
};

}  // namespace DRAGOMAN_NAMESPACE
