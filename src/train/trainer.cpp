#include "train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "core/error.h"
#include "train/average.h"
#include "train/model_file.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

class Timer {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// While it lives, the model has the other weights (none: its own) and they lie there.
class Exchanged {
 public:
  Exchanged(std::vector<Real>* weights, Real* values) : weights_(weights), values_(values) { exchange(); }
  ~Exchanged() { exchange(); }
  Exchanged(const Exchanged&) = delete;
  Exchanged& operator=(const Exchanged&) = delete;

 private:
  void exchange() const {
    if (weights_ != nullptr) std::swap_ranges(weights_->begin(), weights_->end(), values_);
  }

  std::vector<Real>* weights_;
  Real* values_;
};

}  // namespace

Trainer::Trainer(Seq2Seq& model, TrainingInput input, Observer& observer)
    : model_(model),
      input_(std::move(input)),
      observer_(observer),
      checkpoints_(input_.model_dir),
      step_(model, input_.training, input_.seed),
      schedule_(input_.training.schedule, input_.training.optimizer.learning_rate, input_.training.max_updates) {
  const TrainOptions& t = input_.training;
  if (input_.resume) {
    state_ = checkpoints_.latest_state();
    if (state_.fingerprint != input_.fingerprint) {
      throw UserError(
          input_.model_dir.string(), 0,
          "--resume: " +
              (input_.changes.empty() ? "the text of data.train or data.dev, the tokenizer or the program's version"
                                      : "the configuration (" + input_.changes + ")") +
              " is not that of the checkpoint; put it back, or start afresh with --overwrite");
    }
    checkpoints_.load(state_, model_.params(), step_.optimizer());
    schedule_.state = state_.schedule;
    saved_update_ = state_.update;
    observer_.resumed(state_.update);
  }
  WindowOptions window;
  window.seed = input_.seed;
  window.batch_tokens = static_cast<std::size_t>(t.batch_tokens);
  window.window = static_cast<std::size_t>(t.window);
  batcher_ = std::make_unique<Batcher>(*input_.train, window, state_.position);
  if (input_.dev != nullptr) {
    DecodeOptions decoding = input_.decoding;
    decoding.beam_size = t.validation.beam_size;
    validator_.emplace(model_, input_.train->tokenizers(), *input_.dev, input_.data, t.validation, decoding,
                       t.label_smoothing);
  }
}

bool Trainer::finished() const {
  const TrainOptions& t = input_.training;
  return stopped_early_ || (t.max_updates > 0 && state_.update >= t.max_updates) ||
         (t.max_epochs > 0 && static_cast<std::int64_t>(state_.position.epoch) >= t.max_epochs);
}

int Trainer::run() {
  // A resumed training may have ended by early stopping just before the interruption.
  const EarlyStoppingOptions& early = input_.training.validation.early_stopping;
  stopped_early_ = early.patience > 0 && state_.bad_validations >= early.patience;
  if (finished())
    observer_.warning("nothing is left to train: the limits are reached at update " + std::to_string(state_.update));
  if (state_.update == 0 && input_.training.validation.at_start && validator_) validate();
  while (!finished()) {
    const Timer timer;
    one_update();
    train_seconds_ += timer.seconds();
    interval_seconds_ += timer.seconds();
    if (state_.update % input_.training.log_every == 0 || finished()) report_interval();
    validate_and_save();
    if (const int signal = observer_.stop_signal(); signal != 0 && !finished()) {
      if (saved_update_ != state_.update) save(true);
      return signal;
    }
  }
  // Without validations the last model is the best; its checkpoint may be all that a crash has left of it.
  if (!state_.best) with_final_weights([&] { save_best_model(); });
  final_test();
  return 0;
}

void Trainer::one_update() {
  const std::int64_t update = state_.update + 1;
  BatchPosition after = state_.position;
  epoch_ended_ = false;
  for (Index i = 0; i < input_.training.accumulate && !epoch_ended_; ++i) {
    const TrainingBatch next = batcher_->next();
    step_.accumulate(next.batch, update);
    after = next.after;
    run_pairs_ += next.batch.count();
    state_.epoch_pairs += next.batch.count();
    epoch_ended_ = next.ends_epoch;
    if (next.report && state_.position.epoch == 0 && next.report->lines > kExamineAll) {
      observer_.info("training data, first epoch: " + next.report->describe(input_.train->corpus()));
    }
  }
  const double rate = schedule_.learning_rate(update);
  const TrainStep::Result result = step_.finish(update, rate);
  if (!result.finite) {
    const std::string where = result.bad_tensor.empty() ? "the loss" : "the gradient of " + result.bad_tensor;
    diverged("update " + std::to_string(update) + ": " + where + " is not finite (learning rate " + number(rate) +
             ", gradient norm " + number(result.gradient_norm) + ", mean loss " +
             number(result.sums.loss / static_cast<double>(result.sums.labels)) + ")");
  }
  state_.update = update;
  state_.position = after;
  if (epoch_ended_) state_.epoch_pairs = 0;
  state_.interval.loss += result.sums.loss;
  state_.interval.negative_log_prob += result.sums.negative_log_prob;
  state_.interval.gradient_norm += result.gradient_norm;
  state_.interval.labels += result.sums.labels;
  state_.interval.updates += 1;
  run_updates_ += 1;
}

void Trainer::diverged(const std::string& what) {
  const std::string kept = saved_update_ < 0
                               ? "No checkpoint was written yet."
                               : "The checkpoint of update " + std::to_string(saved_update_) + " is kept.";
  const std::string message = what + ". " + kept +
                              " A lower training.optimizer.learning_rate, more training.schedule.warmup or clipping "
                              "(training.clip_norm) usually help.";
  observer_.warning(message);
  throw DivergedError(message);
}

double Trainer::seconds_left() const {
  const TrainOptions& t = input_.training;
  if (run_updates_ == 0) return -1;
  double left = -1;
  if (t.max_updates > 0) {
    left = train_seconds_ / static_cast<double>(run_updates_) * static_cast<double>(t.max_updates - state_.update);
  }
  if (t.max_epochs > 0) {
    const auto pairs = static_cast<double>(input_.train->corpus().size());
    const double epochs = static_cast<double>(t.max_epochs) - static_cast<double>(state_.position.epoch);
    const double todo = epochs * pairs - static_cast<double>(state_.epoch_pairs);
    const double by_epochs = train_seconds_ / static_cast<double>(run_pairs_) * todo;
    left = left < 0 ? by_epochs : std::min(left, by_epochs);
  }
  return std::max(left, 0.0);
}

void Trainer::report_interval() {
  const IntervalSums& sums = state_.interval;
  if (sums.updates == 0) return;
  IntervalReport report;
  report.epoch = static_cast<std::int64_t>(state_.position.epoch) + (epoch_ended_ ? 0 : 1);
  report.update = state_.update;
  report.loss = sums.loss / static_cast<double>(sums.labels);
  report.perplexity = std::exp(sums.negative_log_prob / static_cast<double>(sums.labels));
  report.learning_rate = schedule_.learning_rate(state_.update);
  report.gradient_norm = sums.gradient_norm / static_cast<double>(sums.updates);
  report.labels = sums.labels;
  report.seconds = interval_seconds_;
  report.seconds_left = seconds_left();
  observer_.interval(report);
  state_.interval = {};
  interval_seconds_ = 0;
}

bool Trainer::due(std::int64_t every_updates) const {
  if (every_updates > 0) return state_.update % every_updates == 0;
  const std::int64_t every_epochs = input_.training.validation.every_epochs;
  return epoch_ended_ && static_cast<std::int64_t>(state_.position.epoch) % every_epochs == 0;
}

bool Trainer::checkpoint_due() const {
  const TrainOptions& t = input_.training;
  return finished() || due(t.checkpoints.every_updates > 0 ? t.checkpoints.every_updates : t.validation.every_updates);
}

void Trainer::validate_and_save() {
  if ((due(input_.training.validation.every_updates) || finished()) && validator_) validate();
  if (finished()) report_interval();  // validation may have stopped the training
  if (checkpoint_due()) save(false);
}

template <class Use>
void Trainer::with_final_weights(const Use& use) {
  const std::int64_t average_last = input_.training.checkpoints.average_last;
  std::vector<Real>* weights = state_.update > 0 ? step_.optimizer().average() : nullptr;
  std::vector<Real> mean;
  if (weights == nullptr && average_last > 0) {
    const bool with_this = checkpoint_due();
    const std::vector<std::string> before =
        checkpoints_.models_before(state_.update, average_last - (with_this ? 1 : 0));
    WeightMean sum(model_.params());
    for (const std::string& path : before) sum.add_file(path);
    if (with_this || before.empty()) sum.add(model_.params().data());
    mean = sum.mean();
    weights = &mean;
  }
  const Exchanged exchanged(weights, model_.params().data());
  use();
}

/// model.safetensors: what `translate` loads.
void Trainer::save_best_model() { save_model((input_.model_dir / "model.safetensors").string(), model_.params()); }

void Trainer::validate() {
  const EarlyStoppingOptions& early = input_.training.validation.early_stopping;
  ValidationReport report;
  with_final_weights([&] {
    report = validator_->run();
    const double value = report.metrics.at(early.metric);
    report.best = std::isfinite(value) && (!state_.best || better_metric(early.metric, value, *state_.best));
    if (report.best) {
      state_.best = value;
      save_best_model();
    }
  });
  report.epoch = static_cast<std::int64_t>(state_.position.epoch) + (epoch_ended_ ? 0 : 1);
  report.update = state_.update;
  if (report.best) {
    state_.best_update = state_.update;
    state_.bad_validations = 0;
  } else {
    ++state_.bad_validations;
  }
  schedule_.validated(report.best);
  for (const std::string& remark : report.remarks) observer_.warning("development set: " + remark);
  observer_.validation(report);
  if (early.patience > 0 && state_.bad_validations >= early.patience) {
    stopped_early_ = true;
    observer_.info("stopped early: " + early.metric + " has not improved for " + std::to_string(early.patience) +
                   " validations (best at update " + std::to_string(state_.best_update) + ")");
  }
}

void Trainer::save(bool interrupted) {
  for (const Param& p : model_.params().params()) {
    const Real* x = model_.values().base + p.ref.offset;
    if (std::all_of(x, x + p.ref.rows * p.ref.cols, [](Real v) { return std::isfinite(v); })) continue;
    diverged("update " + std::to_string(state_.update) + ": parameter " + p.name + " is not finite");
  }
  state_.schedule = schedule_.state;
  state_.interrupted = interrupted;
  state_.fingerprint = input_.fingerprint;
  checkpoints_.save(model_.params(), step_.optimizer(), state_, input_.training.checkpoints.keep);
  saved_update_ = state_.update;
}

void Trainer::final_test() {
  if (input_.test == nullptr) return;
  load_model((input_.model_dir / "model.safetensors").string(), model_.params());
  ValidationOptions options = input_.training.validation;
  const Validator validator(model_, input_.train->tokenizers(), *input_.test, input_.data, options, input_.decoding,
                            input_.training.label_smoothing);
  ValidationReport report = validator.run();
  for (const std::string& remark : report.remarks) observer_.warning("test set: " + remark);
  report.update = state_.best ? state_.best_update : state_.update;
  report.epoch = static_cast<std::int64_t>(state_.position.epoch);
  observer_.test(report);
}

}  // namespace DRAGOMAN_NAMESPACE
