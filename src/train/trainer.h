// The training loop.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/data_options.h"
#include "data/pair_encoder.h"
#include "models/seq2seq.h"
#include "train/best_model.h"
#include "train/checkpoint.h"
#include "train/diverged_batch.h"
#include "train/ending.h"
#include "train/observer.h"
#include "train/pace.h"
#include "train/step.h"
#include "train/train_options.h"
#include "train/validation.h"

namespace DRAGOMAN_NAMESPACE {

/// What a training needs; everything is checked and loaded by the caller.
struct TrainingInput {
  std::uint64_t seed = 1;
  TrainOptions training;
  DataOptions data;
  DecodeOptions decoding;
  const PairEncoder* train = nullptr;  ///< corpus, tokenizers and filter
  const Corpus* dev = nullptr;         ///< may be absent
  const Corpus* test = nullptr;        ///< may be absent
  std::filesystem::path model_dir;
  Fingerprint fingerprint;  ///< stored in the checkpoints
  bool resume = false;      ///< from the latest checkpoint; the caller has compared the fingerprints
};

/// The loss, a gradient or a parameter is not finite, and training.on_divergence says (or it must be) stop. The last
/// good checkpoint stays.
class DivergedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Trainer {
 public:
  /// The model's values are the starting point (unless input.resume).
  Trainer(Seq2Seq& model, TrainingInput input, Observer& observer);

  /// Trains to the end. Returns 0, or the signal that interrupted it after the state was saved.
  int run();

 private:
  [[nodiscard]] bool finished() const { return ending(input_.training, state_) != Ending::none; }
  void begin_batches();
  void one_update();
  /// The micro-batches of the next update; fewer at the end of an epoch, none when the rest was left out.
  std::vector<Batch> accumulate(std::int64_t update);
  /// Writes the batch into MODEL_DIR/diverged (the first few times) and says what happened.
  std::string record(const DivergedBatch& batch, const TrainStep::Result& result);
  /// Answers numbers that are not finite as training.on_divergence says: returns, or throws DivergedError. `begin`: of
  /// the batch; `skipped`: so many were before it.
  void diverged(const DivergedBatch& batch, const TrainStep::Result& result, BatchPosition begin, int skipped);
  /// The same of a validation whose numbers are not finite.
  void validation_diverged();
  [[nodiscard]] bool may_go_back() const;
  /// Says so, and goes on from the checkpoint of that update without the data from `begin` on.
  void go_back(const std::string& message, std::int64_t update, BatchPosition begin);
  /// `sound`: the update of the last checkpoint to go on from; -1: none.
  [[noreturn]] void give_up(std::string message, std::int64_t sound);
  [[nodiscard]] bool rolls_back() const { return input_.training.on_divergence == "rollback"; }
  void count(const TrainStep::Result& result, double learning_rate);
  [[nodiscard]] IntervalReport interval_report() const;
  void report_interval();
  /// Validates and saves when due, or when training is finished. False: interrupted while validating.
  [[nodiscard]] bool validate_and_save();
  enum class Validated { wholly, interrupted, diverged };
  /// diverged: and training has gone back.
  [[nodiscard]] Validated validate();
  /// `on_schedule`: the checkpoint is kept beside later ones; else it serves resume and going back only.
  void save(bool on_schedule);
  /// Saves, if this update's state is not saved yet, and returns the signal.
  int interrupted(bool validation_due);
  /// Has an interval of validations or checkpoints ended? every_updates 0: by epochs.
  [[nodiscard]] bool due(std::int64_t every_updates) const;
  [[nodiscard]] bool checkpoint_due() const;
  /// Calls use() while the model has the weights that are validated and saved: the moving average if there is one,
  /// else the mean of the last checkpoints if wanted (this update's among them when it is due), else the current ones.
  template <class Use>
  void with_final_weights(const Use& use);
  void save_best_model();  ///< the model as it is, in its place at once
  /// False: interrupted.
  [[nodiscard]] bool final_test();

  Seq2Seq& model_;
  TrainingInput input_;
  Observer& observer_;
  Checkpoints checkpoints_;
  BestModel best_model_;
  TrainStep step_;
  Schedule schedule_;
  TrainingState state_;
  std::unique_ptr<Batcher> batcher_;
  std::optional<Validator> validator_;
  std::int64_t saved_update_ = -1;  ///< of the last checkpoint written or loaded
  bool went_back_ = false;          ///< which the last checkpoint doesn't know
  bool jump_told_ = false;          ///< since the last interval report
  double interval_seconds_ = 0;     ///< since the last interval report
  Pace pace_;
};

}  // namespace DRAGOMAN_NAMESPACE
