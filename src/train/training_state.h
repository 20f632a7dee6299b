// What a training must know to go on exactly, beside the parameters and the moments of the optimizer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/real.h"
#include "data/batcher.h"
#include "train/attention_watch.h"
#include "train/loss_watch.h"
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
  std::uint32_t best_checksum = 0;    ///< of its model.safetensors
  std::int64_t bad_validations = 0;   ///< in a row without improvement
  std::int64_t validated_update = 0;  ///< of the last validation
  std::int64_t reports = 0;           ///< of intervals and validations
  LossWatch loss_watch;
  AttentionWatch attention_watch;
  std::int64_t divergences = 0;  ///< updates that were not finite
  std::int64_t rollbacks = 0;
  /// After going back: the data of updates that diverged, from the first position to before the second.
  std::vector<std::pair<BatchPosition, BatchPosition>> left_out;
  std::vector<std::int64_t> scheduled;  ///< updates of the checkpoints on schedule that are kept, oldest first
  bool validation_due = false;  ///< interrupted within the validation after this update, which is still to be done
  std::int64_t before = -1;     ///< with validation_due: the checkpoint before, to go back to if that is not finite
  BatchPosition began;          ///< where the data of this update begins
  bool epoch_ended = false;     ///< by this update
  Fingerprint fingerprint;
  std::map<std::string, std::uint32_t> files;  ///< checksums of the checkpoint's other files
};

/// Removes all but the last `count` >= 0.
template <class Item>
void keep_last(std::vector<Item>& items, std::int64_t count) {
  if (std::ssize(items) > count) items.erase(items.begin(), items.end() - count);
}

/// As JSON, with a checksum of the text.
[[nodiscard]] std::string write_state(const TrainingState& state);
/// UserError naming `path`: not what write_state() writes, or of another format.
[[nodiscard]] TrainingState parse_state(const std::string& text, const std::string& path);

}  // namespace DRAGOMAN_NAMESPACE
