#include "train/pace.h"

#include <algorithm>

namespace DRAGOMAN_NAMESPACE {

double Pace::seconds_left(const TrainOptions& options, const TrainingState& state, std::size_t pairs_in_epoch) const {
  if (updates == 0) return -1;
  double left = -1;
  if (options.max_updates > 0) {
    left = seconds / static_cast<double>(updates) * static_cast<double>(options.max_updates - state.update);
  }
  if (options.max_epochs > 0) {
    const double epochs = static_cast<double>(options.max_epochs) - static_cast<double>(state.position.epoch);
    const double todo = epochs * static_cast<double>(pairs_in_epoch) - static_cast<double>(state.epoch_pairs);
    const double by_epochs = seconds / static_cast<double>(pairs) * todo;
    left = left < 0 ? by_epochs : std::min(left, by_epochs);
  }
  return std::max(left, options.max_updates == 0 && options.max_epochs == 0 ? -1.0 : 0.0);
}

}  // namespace DRAGOMAN_NAMESPACE
