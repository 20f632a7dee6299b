// From which checkpoint a training goes on, and whether it can.
#pragma once

#include <filesystem>
#include <string>

#include "config/config.h"
#include "data/tokenizer_pair.h"
#include "train/checkpoint.h"

namespace dragoman {

inline constexpr const char* kLatest = "";        ///< as `checkpoints/latest` says
inline constexpr const char* kNewest = "newest";  ///< the newest whose files are whole

/// The state to go on from: kLatest, kNewest or an update in digits. UserError: there is none, or one of its files is
/// damaged; names the checkpoints that are whole.
[[nodiscard]] TrainingState state_to_resume(const std::filesystem::path& model_dir, const std::string& which);

/// Makes it the latest checkpoint. The caller has the lock. UserError: another training went on meanwhile.
void take_up(const std::filesystem::path& model_dir, const std::string& which, const TrainingState& state);

/// UserError when the checkpoint is of another training (says what differs, of the configuration which keys, and the
/// ways on), or when the best model, or a checkpoint that average_last needs, can't be had.
void check_resumable(const std::filesystem::path& model_dir, const TrainingState& state, const Fingerprint& now,
                     const Config& config);

/// UserError when the configuration names other tokenizer files than this training began with, unless they hold the same:
/// it goes on with those in its model directory, and nothing that is asked for is left out without a word.
void check_tokenizer_files(const Config& config, const TokenizerPair& tokenizers);

}  // namespace dragoman
