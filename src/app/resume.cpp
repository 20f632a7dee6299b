#include "app/resume.h"

#include <algorithm>
#include <vector>

#include "app/fingerprint.h"
#include "core/error.h"
#include "train/best_model.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

std::string name_of(const Checkpoints& checkpoints, std::int64_t update) {
  return checkpoints.path_of(update).filename().string();
}

/// How to go on from one of these; empty when there is none.
std::string others(const Checkpoints& checkpoints, const std::vector<std::int64_t>& updates,
                   const std::string& or_else = "") {
  if (updates.empty()) return "";
  std::string names;
  for (const std::int64_t update : updates) names += (names.empty() ? "" : ", ") + name_of(checkpoints, update);
  return std::string("whole ") + (updates.size() == 1 ? "is " : "are ") + names + ": --resume-from " +
         std::to_string(updates.back()) + or_else + " goes on from " + name_of(checkpoints, updates.back());
}

std::int64_t update_in(const std::string& which) {
  constexpr std::size_t kDigits = 15;
  if (which.empty() || which.size() > kDigits || which.find_first_not_of("0123456789") != std::string::npos) {
    throw UserError("--resume-from: found \"" + which.substr(0, 40) +
                    "\", expected the update of a checkpoint, such as 1000, or " + kNewest);
  }
  return std::stoll(which);
}

/// The best model of the state is lost. From which checkpoints could training go on?
[[noreturn]] void fail_without_best(const fs::path& path, const Checkpoints& checkpoints, const TrainingState& state,
                                    const BestModel& best) {
  std::vector<std::int64_t> updates = checkpoints.whole_ones();
  std::erase_if(updates, [&](std::int64_t update) {
    return update == state.update || !best.available(checkpoints, checkpoints.state_of(update));
  });
  const std::string ways = others(checkpoints, updates);
  throw UserError(path.string(), 0,
                  std::string("--resume: ") + (fs::exists(path) ? "is not" : "is absent; it was") +
                      " the best model so far (of update " + std::to_string(state.best_update) + "); put it back" +
                      (ways.empty() ? ", or start afresh with --overwrite" : "; " + ways));
}

/// UserError when one of them is absent.
void check_needed(const std::vector<std::string>& models) {
  for (const std::string& path : models) {
    if (fs::exists(path)) continue;
    throw UserError(path, 0,
                    "--resume: it is absent, but training.checkpoints.average_last needs it; put it back, or start "
                    "afresh with --overwrite");
  }
}

}  // namespace

TrainingState state_to_resume(const fs::path& model_dir, const std::string& which) {
  const Checkpoints checkpoints(model_dir);
  if (which == kNewest) {
    const std::vector<std::int64_t> whole = checkpoints.whole_ones();
    if (!whole.empty()) return checkpoints.state_of(whole.back());
  }
  const bool latest = which == kLatest || which == kNewest;
  const std::int64_t named = latest ? -1 : update_in(which);
  try {
    return checkpoints.whole_state_of(latest ? checkpoints.latest_update() : named);
  } catch (const UserError& e) {
    const std::string ways = others(checkpoints, checkpoints.whole_ones(), std::string(" (or ") + kNewest + ")");
    throw UserError(e.what() + (ways.empty() ? "" : "; " + ways));
  }
}

void take_up(const fs::path& model_dir, const std::string& which, const TrainingState& state) {
  const Checkpoints checkpoints(model_dir);
  if (which != kLatest) {
    (void)checkpoints.state_of(state.update);  // still there
    checkpoints.make_latest(state.update);
  } else if (checkpoints.latest_update() != state.update) {
    throw UserError(model_dir.string(), 0, "another training went on here meanwhile; start this one again");
  }
}

void check_resumable(const fs::path& model_dir, const TrainingState& state, const Fingerprint& now,
                     const Config& config) {
  const Checkpoints checkpoints(model_dir);
  if (const std::string differing = what_differs(model_dir, state.fingerprint, now, config); !differing.empty()) {
    throw UserError(model_dir.string(), 0,
                    "--resume: not as it was at the checkpoint of update " + std::to_string(state.update) + ": " +
                        differing +
                        "; put it back to go on, or start afresh: with --overwrite here, or in another "
                        "--model-dir");
  }
  const BestModel best(model_dir);
  if (!best.available(checkpoints, state)) fail_without_best(best.path(), checkpoints, state, best);
  // Beside this one, if that counts.
  const bool counts = !state.scheduled.empty() && state.scheduled.back() == state.update;
  const std::int64_t others = std::max<std::int64_t>(config.training.checkpoints.average_last - (counts ? 1 : 0), 0);
  check_needed(checkpoints.models_before(state, others));
}

void check_tokenizer_files(const Config& config, const TokenizerPair& tokenizers) {
  const fs::path stored = fs::path(config.training.model_dir) / "config.yaml";
  if (!fs::exists(stored)) return;
  const TokenizerOptions then = load_config(stored.string()).tokenizer;
  const auto check = [&](const std::string& file, const std::string& before, const Tokenizer& own) {
    if (file.empty() || file == before || load_tokenizer(file)->serialize() == own.serialize()) return;
    throw UserError(file, 0,
                    "--resume: is another tokenizer than that of this training; remove it from the configuration to go "
                    "on, or start afresh: with --overwrite here, or in another --model-dir");
  };
  check(config.tokenizer.model_file, then.model_file, *tokenizers.source);
  check(config.tokenizer.target_model_file, then.target_model_file, *tokenizers.target);
}

}  // namespace dragoman
