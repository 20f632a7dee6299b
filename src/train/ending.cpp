#include "train/ending.h"

namespace DRAGOMAN_NAMESPACE {

Ending ending(const TrainOptions& options, const TrainingState& state) {
  const EarlyStoppingOptions& early = options.validation.early_stopping;
  if (early.patience > 0 && state.bad_validations >= early.patience) return Ending::early_stopping;
  if (options.max_updates > 0 && state.update >= options.max_updates) return Ending::max_updates;
  if (options.max_epochs > 0 && static_cast<std::int64_t>(state.position.epoch) >= options.max_epochs) {
    return Ending::max_epochs;
  }
  return Ending::none;
}

std::string describe(Ending ending, const TrainOptions& options, const TrainingState& state) {
  const std::string update = "training ends at update " + std::to_string(state.update) + ": ";
  const EarlyStoppingOptions& early = options.validation.early_stopping;
  switch (ending) {
    case Ending::early_stopping:
      return update + early.metric + " has not improved for " + std::to_string(early.patience) +
             " validations (best at update " + std::to_string(state.best_update) + "; early_stopping.patience)";
    case Ending::max_updates:
      return update + "max_updates is reached";
    case Ending::max_epochs:
      return update + "max_epochs (" + std::to_string(options.max_epochs) + ") is reached" +
             (options.max_updates > 0 ? ", before max_updates (" + std::to_string(options.max_updates) +
                                            "); max_epochs: 0 leaves updates alone to decide"
                                      : "");
    case Ending::none:
      break;
  }
  return "";
}

}  // namespace DRAGOMAN_NAMESPACE
