// Checkpoints: MODEL_DIR/checkpoints/NNNNNN/ (the update) with
//   model.safetensors      the parameters
//   optimizer.safetensors  the moments and the moving average of the weights (if there are any)
//   state.json             everything else that training needs to go on exactly
// Each is written whole under a temporary name, fsynced and renamed; checkpoints/latest names the last one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/params.h"
#include "data/batcher.h"
#include "train/loss_watch.h"
#include "train/optimizer.h"
#include "train/schedule.h"

namespace DRAGOMAN_NAMESPACE {

/// Sums since the last interval report.
struct IntervalSums {
  double loss = 0, negative_log_prob = 0, gradient_norm = 0;
  std::int64_t labels = 0, updates = 0;
};

/// Hashes of what must not change between an interruption and a resume, by name: "data.train", ...
using Fingerprint = std::map<std::string, std::string>;

struct TrainingState {
  std::int64_t update = 0;       ///< done
  BatchPosition position;        ///< the next batch
  std::int64_t epoch_pairs = 0;  ///< pairs used in this epoch
  Schedule::State schedule;
  IntervalSums interval;
  std::optional<double> best;  ///< value of the early-stopping metric
  std::int64_t best_update = 0;
  std::int64_t bad_validations = 0;   ///< in a row without improvement
  std::int64_t validated_update = 0;  ///< of the last validation
  std::int64_t reports = 0;           ///< of intervals and validations
  LossWatch loss_watch;
  std::int64_t divergences = 0;  ///< updates that were not finite
  std::int64_t skipped = 0;      ///< of these skipped in a row, up to now
  std::int64_t rollbacks = 0;
  /// After going back: the data of updates that diverged, from the first position to before the second.
  std::vector<std::pair<BatchPosition, BatchPosition>> left_out;
  bool interrupted = false;     ///< not on schedule (a signal): serves resume only
  bool validation_due = false;  ///< interrupted within the validation after this update, which is still to be done
  bool epoch_ended = false;     ///< by this update
  Fingerprint fingerprint;
};

class Checkpoints {
 public:
  explicit Checkpoints(const std::filesystem::path& model_dir);

  /// Saves, moves `latest`, and removes scheduled checkpoints beyond `keep` and older interrupted ones.
  void save(const ParamStore& store, const Optimizer& optimizer, const TrainingState& state, std::int64_t keep) const;
  /// Removes what save() would have removed, and checkpoints of later updates than `newest`, which a crash has left.
  void prune(std::int64_t newest, std::int64_t keep) const;
  /// model.safetensors of the scheduled checkpoints before `update`, at most `count` of the latest, oldest first.
  [[nodiscard]] std::vector<std::string> models_before(std::int64_t update, std::int64_t count) const;
  /// UserError: there is none, or it is damaged.
  [[nodiscard]] TrainingState latest_state() const;
  /// The tensors of that state's checkpoint. UserError: damaged, or of another model.
  void load(const TrainingState& state, ParamStore& store, Optimizer& optimizer) const;

 private:
  [[nodiscard]] std::filesystem::path path_of(std::int64_t update) const;
  /// Checkpoints on disk with their states, oldest first.
  [[nodiscard]] std::vector<std::pair<TrainingState, std::filesystem::path>> list() const;

  std::filesystem::path directory_;
};

}  // namespace DRAGOMAN_NAMESPACE
