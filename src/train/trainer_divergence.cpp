// What a training does about numbers that are not finite.
#include <utility>

#include "core/error.h"
#include "decode/search_rules.h"
#include "io/atomic_file.h"
#include "train/number_text.h"
#include "train/trainer.h"

namespace DRAGOMAN_NAMESPACE {
namespace {
constexpr std::int64_t kRollbacks = 3;
}  // namespace

std::string Trainer::record(const DivergedBatch& batch, const TrainStep::Result& result) {
  constexpr std::int64_t kWritten = 10;
  std::string message = "update " + std::to_string(batch.update) + ": " + batch.problem +
                        " is not finite (learning rate " + number(batch.learning_rate) + ", gradient norm " +
                        number(result.gradient_norm) + ", mean loss " +
                        number(result.sums.loss / static_cast<double>(result.sums.labels)) + "). ";
  if (++state_.divergences > kWritten) return message;
  observer_.saving();
  const std::filesystem::path directory = input_.model_dir / "diverged" / std::to_string(state_.divergences);
  try {
    make_subfolder(directory.parent_path().string());
    write_diverged(directory, batch, *input_.train, result.updated ? nullptr : &model_.params());
  } catch (const UserError& e) {  // no reason to stop
    return message + e.what() + ". ";
  }
  return message + "The batch is in " + directory.string() +
         (result.updated ? ". " : "; `dragoman replay` computes the update again. ");
}

void Trainer::diverged(const DivergedBatch& batch, const TrainStep::Result& result, BatchPosition begin, int skipped) {
  constexpr int kSkipsInARow = 10;
  const bool skips = input_.training.on_divergence == "skip";
  std::string message = record(batch, result);
  if (skips && !result.updated && skipped + 1 < kSkipsInARow) {
    return observer_.warning(message + "The batch is skipped.");
  }
  if (may_go_back()) return go_back(message, saved_update_, begin);
  if (skips) {
    message += result.updated
                   ? "The weights are lost, so skipping does not help; training.on_divergence: rollback may. "
                   : "So were " + std::to_string(kSkipsInARow - 1) + " updates just before. ";
  }
  give_up(message, saved_update_);
}

void Trainer::validation_diverged() {
  std::string message = "validation after update " + std::to_string(state_.update) + ": " + NotFinite().what() +
                        " (learning rate " + number(schedule_.learning_rate(state_.update)) + "). ";
  // Interrupted within this validation, training has saved these weights: the checkpoint before is the one to take.
  const std::int64_t sound = saved_update_ < state_.update ? saved_update_ : state_.before;
  if (may_go_back() && sound >= 0) return go_back(message, sound, state_.began);
  if (!rolls_back() && sound >= 0) {
    message += "--resume with training.on_divergence: rollback goes back to the checkpoint of update " +
               std::to_string(sound) + " and on without the batch of this update. ";
  }
  give_up(message, sound);
}

bool Trainer::may_go_back() const { return rolls_back() && state_.rollbacks < kRollbacks; }

void Trainer::give_up(std::string message, std::int64_t sound) {
  if (rolls_back() && !may_go_back()) {
    message += "Training went back " + std::to_string(kRollbacks) + " times already. ";
  }
  message +=
      sound < 0 ? "No checkpoint was written yet." : "The checkpoint of update " + std::to_string(sound) + " is kept.";
  message +=
      " A lower training.optimizer.learning_rate, more training.schedule.warmup or clipping (training.clip_norm) "
      "usually help.";
  observer_.warning(message);
  throw DivergedError(message);
}

void Trainer::go_back(const std::string& message, std::int64_t update, BatchPosition begin) {
  observer_.warning(message + "Going back to the checkpoint of update " + std::to_string(update) +
                    ", from where training goes on without the batch.");
  state_.left_out.emplace_back(begin, state_.position);
  observer_.saving();
  if (update != saved_update_) checkpoints_.make_latest(update);
  const TrainingState diverged = std::exchange(state_, checkpoints_.state_of(update));
  saved_update_ = update;
  went_back_ = true;
  state_.divergences = diverged.divergences;
  state_.rollbacks = diverged.rollbacks + 1;
  state_.left_out = diverged.left_out;
  state_.epoch_ended = false;
  checkpoints_.load(state_, model_.params(), step_.optimizer());
  schedule_.state = state_.schedule;
  observer_.resumed(state_.update, state_.reports);
  begin_batches();
}

}  // namespace DRAGOMAN_NAMESPACE
