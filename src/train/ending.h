// When a training ends, and why.
#pragma once

#include <string>

#include "train/train_options.h"
#include "train/training_state.h"

namespace DRAGOMAN_NAMESPACE {

enum class Ending { none, max_updates, max_epochs, early_stopping };

/// What ends the training in this state; none: it goes on.
[[nodiscard]] Ending ending(const TrainOptions& options, const TrainingState& state);

/// The reason in words, which name the key and, when another limit is not reached, that one.
[[nodiscard]] std::string describe(Ending ending, const TrainOptions& options, const TrainingState& state);

}  // namespace DRAGOMAN_NAMESPACE
