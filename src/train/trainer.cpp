#include "train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "decode/search_rules.h"
#include "io/atomic_file.h"
#include "train/average.h"
#include "train/exchanged.h"
#include "train/model_file.h"
#include "train/number_text.h"
#include "train/validation_metrics.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

class Timer {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Trainer::Trainer(Seq2Seq& model, TrainingInput input, Observer& observer)
    : model_(model),
      input_(std::move(input)),
      observer_(observer),
      checkpoints_(input_.model_dir),
      best_model_(input_.model_dir),
      step_(model, input_.training, input_.seed),
      schedule_(input_.training.schedule, input_.training.optimizer.learning_rate, input_.training.max_updates) {
  const TrainOptions& t = input_.training;
  if (input_.resume) {
    state_ = checkpoints_.latest_state();
    checkpoints_.load(state_, model_.params(), step_.optimizer());
    schedule_.state = state_.schedule;
    keep_last(state_.scheduled, t.checkpoints.keep);  // fewer than before, perhaps
    saved_update_ = state_.update;
    if (!best_model_.belongs_to(state_) && !best_model_.restore(checkpoints_, state_)) {
      with_final_weights([&] { save_best_model(); });
    }
    checkpoints_.prune(state_, false);  // what an interruption has left
    observer_.resumed(state_.update, state_.reports);
  }
  begin_batches();
  if (input_.dev != nullptr) {
    DecodeOptions decoding = input_.decoding;
    decoding.beam_size = t.validation.beam_size;
    validator_.emplace(model_, input_.train->tokenizers(), *input_.dev, input_.data, t.validation, decoding,
                       t.label_smoothing);
  }
}

void Trainer::begin_batches() {
  const WindowOptions window{input_.seed, static_cast<std::size_t>(input_.training.batch_tokens),
                             static_cast<std::size_t>(input_.training.window)};
  const bool sampled = input_.train->corpus().size() > kExamineAll && state_.position.epoch == 0;  // at first
  auto examiner = sampled ? std::make_shared<DataExaminer>(*input_.train, input_.dev, input_.test,
                                                           length_caps(input_.decoding, model_.max_target_tokens()))
                          : nullptr;
  batcher_.reset();  // before there is another
  batcher_ = std::make_unique<Batcher>(*input_.train, window, state_.position, 1, std::move(examiner));
}

int Trainer::run() {
  if (finished() && !state_.validation_due)
    observer_.warning("nothing is left to train: the limits are reached at update " + std::to_string(state_.update));
  if (state_.update > 0) {
    if (state_.validation_due && !validate_and_save()) return interrupted(true);
  } else {
    const bool new_or_due = saved_update_ < 0 || state_.validation_due;
    if (input_.training.validation.at_start && validator_ && new_or_due && validate() == Validated::interrupted) {
      return interrupted(true);
    }
    state_.validation_due = false;
    if (rolls_back() || best_model_.prepared()) save(false);  // something to go back to
    best_model_.put_in_place();
  }
  while (!finished()) {
    const Timer timer;
    observer_.begins(Activity::update, state_.update + 1);
    one_update();
    pace_.seconds += timer.seconds();
    interval_seconds_ += timer.seconds();
    if (state_.update % input_.training.log_every == 0 || finished()) {
      report_interval();
    } else if (state_.interval.updates > 0) {
      observer_.progress(interval_report());
    }
    if (!validate_and_save()) return interrupted(true);
    if (observer_.stop_signal() != 0 && !finished()) return interrupted(false);
  }
  observer_.info(describe(ending(input_.training, state_), input_.training, state_));
  // Without validations the last model is the best; its checkpoint may be all that a crash has left of it.
  if (!state_.best) with_final_weights([&] { save_best_model(); });
  return final_test() ? 0 : observer_.stop_signal();
}

int Trainer::interrupted(bool validation_due) {
  if (saved_update_ != state_.update || validation_due != state_.validation_due || went_back_) {
    state_.validation_due = validation_due;
    if (validation_due) state_.before = saved_update_;
    save(false);
  }
  return observer_.stop_signal();
}

std::vector<Batch> Trainer::accumulate(std::int64_t update) {
  std::vector<Batch> batches;
  while (static_cast<Index>(batches.size()) < input_.training.accumulate) {
    TrainingBatch next = batcher_->next();
    const bool left_out = std::any_of(state_.left_out.begin(), state_.left_out.end(), [&](const auto& range) {
      return !(state_.position < range.first) && state_.position < range.second;
    });
    state_.position = next.after;
    if (!left_out) {
      step_.accumulate(next.batch, update);
      pace_.pairs += next.batch.count();
      state_.epoch_pairs += next.batch.count();
      batches.push_back(std::move(next.batch));
    }
    if (!next.ends_epoch) continue;
    if (next.report) {
      for (const std::string& line : next.report->lines("training data, first epoch")) observer_.info(line);
      for (const std::string& warning : next.report->warnings()) observer_.warning(warning);
    }
    state_.epoch_ended = true;
    state_.epoch_pairs = 0;
    break;
  }
  return batches;
}

void Trainer::one_update() {
  state_.epoch_ended = state_.validation_due = false;
  for (int skipped = 0;; ++skipped) {
    const BatchPosition begin = state_.position;
    DivergedBatch batch{state_.update + 1, input_.seed, schedule_.learning_rate(state_.update + 1), "", {}};
    batch.batches = accumulate(batch.update);
    if (!batch.batches.empty()) {
      const TrainStep::Result result = step_.finish(batch.update, batch.learning_rate);
      state_.began = begin;
      if (result.problem.empty()) return count(result, batch.learning_rate);
      batch.problem = result.problem;
      diverged(batch, result, begin, skipped);
    }
    if (finished()) return;
  }
}

void Trainer::count(const TrainStep::Result& result, double learning_rate) {
  state_.update += 1;
  state_.interval.loss += result.sums.loss;
  state_.interval.negative_log_prob += result.sums.negative_log_prob;
  state_.interval.gradient_norm += result.gradient_norm;
  state_.interval.labels += result.sums.labels;
  state_.interval.updates += 1;
  pace_.updates += 1;
  const double loss = result.sums.loss / static_cast<double>(result.sums.labels);
  const double usual = state_.loss_watch.mean;
  if (!state_.loss_watch.jumped(loss) || jump_told_) return;
  jump_told_ = true;  // once an interval
  observer_.warning("update " + std::to_string(state_.update) + ": the loss jumped to " + number(loss) +
                    " from about " + number(usual) + " (learning rate " + number(learning_rate) + ", gradient norm " +
                    number(result.gradient_norm) + ")");
}

IntervalReport Trainer::interval_report() const {
  const IntervalSums& sums = state_.interval;
  IntervalReport report;
  report.epoch = static_cast<std::int64_t>(state_.position.epoch) + (state_.epoch_ended ? 0 : 1);
  report.update = state_.update;
  report.loss = sums.loss / static_cast<double>(sums.labels);
  report.perplexity = std::exp(sums.negative_log_prob / static_cast<double>(sums.labels));
  report.learning_rate = schedule_.learning_rate(state_.update);
  report.gradient_norm = sums.gradient_norm / static_cast<double>(sums.updates);
  report.labels = sums.labels;
  report.seconds = interval_seconds_;
  report.seconds_left = pace_.seconds_left(input_.training, state_, input_.train->corpus().size());
  return report;
}

void Trainer::report_interval() {
  if (state_.interval.updates == 0) return;
  observer_.interval(interval_report());
  ++state_.reports;
  state_.interval = {};
  interval_seconds_ = 0;
  jump_told_ = false;
}

bool Trainer::due(std::int64_t every_updates) const {
  if (every_updates > 0) return state_.update % every_updates == 0;
  const std::int64_t every_epochs = input_.training.validation.every_epochs;
  return state_.epoch_ended && static_cast<std::int64_t>(state_.position.epoch) % every_epochs == 0;
}

bool Trainer::checkpoint_due() const {
  const TrainOptions& t = input_.training;
  return finished() || due(t.checkpoints.every_updates > 0 ? t.checkpoints.every_updates : t.validation.every_updates);
}

bool Trainer::validate_and_save() {
  const bool validates = validator_ && (due(input_.training.validation.every_updates) || finished()) &&
                         state_.validated_update != state_.update;
  if (validates) {
    const Validated validated = validate();
    if (validated != Validated::wholly) return validated == Validated::diverged;
  }
  if (finished()) report_interval();  // validation may have stopped the training
  const bool was_due = std::exchange(state_.validation_due, false);
  if (checkpoint_due()) {
    save(true);
  } else if (was_due || best_model_.prepared() || (validates && rolls_back())) {
    save(false);  // a checkpoint that does not know this validation, of the interruption or to go back to, is void
  }
  best_model_.put_in_place();
  return true;
}

template <class Use>
void Trainer::with_final_weights(const Use& use) {
  const std::int64_t average_last = input_.training.checkpoints.average_last;
  std::vector<Real>* weights = state_.update > 0 ? step_.optimizer().average() : nullptr;
  std::vector<Real> mean;
  if (weights == nullptr && average_last > 0) {
    const bool saved = !state_.scheduled.empty() && state_.scheduled.back() == state_.update;
    const bool with_this = saved || checkpoint_due();
    const std::vector<std::string> before = checkpoints_.models_before(state_, average_last - (with_this ? 1 : 0));
    WeightMean sum(model_.params());
    for (const std::string& path : before) sum.add_file(path);
    if (with_this || before.empty()) sum.add(model_.params().data());
    mean = sum.mean();
    weights = &mean;
  }
  const Exchanged exchanged(weights, model_.params().data());
  use();
}

void Trainer::save_best_model() {
  observer_.saving();
  (void)best_model_.prepare(model_.params());
  best_model_.put_in_place();
}

Trainer::Validated Trainer::validate() {
  const EarlyStoppingOptions& early = input_.training.validation.early_stopping;
  ValidationReport report;
  Validated validated = Validated::wholly;
  observer_.begins(Activity::validation, state_.update);
  with_final_weights([&] {
    try {
      std::optional<ValidationReport> whole = validator_->run([this] { return observer_.stop_signal() != 0; });
      if (!whole) validated = Validated::interrupted;
      if (whole) report = std::move(*whole);
    } catch (const NotFinite&) {
      validated = Validated::diverged;
    }
    if (validated != Validated::wholly) return;
    const double value = report.metrics.at(early.metric);
    report.best = std::isfinite(value) && (!state_.best || better_metric(early.metric, value, *state_.best));
    if (report.best) {
      state_.best = value;
      observer_.saving();
      state_.best_checksum = best_model_.prepare(model_.params());
    }
  });
  if (validated == Validated::diverged) validation_diverged();  // with the weights that are trained
  if (validated != Validated::wholly) return validated;
  state_.before = -1;
  report.epoch = static_cast<std::int64_t>(state_.position.epoch) + (state_.epoch_ended ? 0 : 1);
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
  if (state_.attention_watch.tells(report.attention, state_.update, input_.training.schedule.warmup)) {
    observer_.warning(AttentionWatch::kMessage);
  }
  ++state_.reports;
  state_.validated_update = state_.update;
  return Validated::wholly;
}

void Trainer::save(bool on_schedule) {
  state_.schedule = schedule_.state;
  state_.fingerprint = input_.fingerprint;
  observer_.saving();
  std::vector<std::int64_t>& scheduled = state_.scheduled;
  // After going back the rest of the data may be left out: then there is this one already.
  if (on_schedule && (scheduled.empty() || scheduled.back() != state_.update)) scheduled.push_back(state_.update);
  keep_last(scheduled, input_.training.checkpoints.keep);
  checkpoints_.save(model_.params(), step_.optimizer(), state_);
  saved_update_ = state_.update;
  went_back_ = false;
}

bool Trainer::final_test() {
  if (input_.test == nullptr) return true;
  observer_.begins(Activity::test, state_.update);
  observer_.saving();  // the file must still be ours
  load_model(best_model_.path().string(), model_.params());
  const Validator validator(model_, input_.train->tokenizers(), *input_.test, input_.data, input_.training.validation,
                            input_.decoding, input_.training.label_smoothing);
  std::optional<ValidationReport> whole;
  try {
    whole = validator.run([this] { return observer_.stop_signal() != 0; });
  } catch (const NotFinite& e) {
    throw DivergedError("test set: " + std::string(e.what()) + " (the model of update " +
                        std::to_string(state_.best ? state_.best_update : state_.update) +
                        "); a lower training.optimizer.learning_rate or clipping (training.clip_norm) usually help");
  }
  if (!whole) return false;
  ValidationReport& report = *whole;
  for (const std::string& remark : report.remarks) observer_.warning("test set: " + remark);
  report.update = state_.best ? state_.best_update : state_.update;
  report.epoch = static_cast<std::int64_t>(state_.position.epoch);
  observer_.test(report);
  return true;
}

}  // namespace DRAGOMAN_NAMESPACE
