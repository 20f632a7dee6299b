#include <algorithm>
#include <functional>

#include "config/checks.h"
#include "config/values.h"
#include "train/optimizer_rules.h"
#include "train/schedule_shapes.h"
#include "train/validation_metrics.h"

namespace dragoman {
namespace {

void check_optimizer(Checker& checker) {
  const OptimizerOptions& optimizer = checker.config().training.optimizer;
  const std::string type = "training.optimizer.type";
  const OptimizerRule* chosen = optimizer_rules().find(optimizer.type);
  const auto only_when = [&](const char* key, bool OptimizerRule::*reads) {
    const std::string readers = join(optimizer_rules().names_of(std::mem_fn(reads)), " or ");
    checker.only_when(chosen != nullptr && chosen->*reads, std::string("training.optimizer.") + key, {type},
                      "only " + readers + " reads it", "use type " + readers);
  };
  only_when("betas", &OptimizerRule::reads_betas);
  only_when("epsilon", &OptimizerRule::reads_epsilon);
  only_when("momentum", &OptimizerRule::reads_momentum);
  only_when("weight_decay", &OptimizerRule::decays);
}

void check_schedule(Checker& checker) {
  const TrainOptions& training = checker.config().training;
  const ScheduleOptions& schedule = training.schedule;
  const std::string type = "training.schedule.type";
  const std::string total = "training.schedule.total";
  const std::string warmup = "training.schedule.warmup";
  const ScheduleShape* chosen = schedule_shapes().find(schedule.type);
  const bool falling = chosen != nullptr && chosen->has_end;
  const bool plateau = chosen != nullptr && chosen->watches_validation;
  const auto only_when = [&](const std::string& key, bool ScheduleShape::*reads) {
    const std::string readers = join(schedule_shapes().names_of(std::mem_fn(reads)), " or ");
    checker.only_when(chosen != nullptr && chosen->*reads, key, {type}, "only " + readers + " reads it",
                      "use type " + readers);
  };
  only_when(total, &ScheduleShape::has_end);
  only_when("training.schedule.final_factor", &ScheduleShape::has_end);
  only_when("training.schedule.factor", &ScheduleShape::watches_validation);
  only_when("training.schedule.patience", &ScheduleShape::watches_validation);
  checker.require(chosen == nullptr || !chosen->needs_warmup || schedule.warmup > 0, {type, warmup},
                  "a warmup of at least 1, because the rate is learning_rate x sqrt(warmup/update)",
                  "set schedule.warmup, e.g. 4000");
  if (falling) {
    checker.require(schedule.total > 0 || training.max_updates > 0, {type, total, "training.max_updates"},
                    "a last update, because " + schedule.type + " falls towards it",
                    "set schedule.total or max_updates");
    const std::int64_t end = schedule.total > 0 ? schedule.total : training.max_updates;
    checker.require(schedule.total == 0 || schedule.warmup < schedule.total, {warmup, total},
                    "a warmup that ends before the schedule does", "use a smaller warmup");
    checker.advise(schedule.final_factor > 0 || training.max_updates <= end,
                   {total, "training.max_updates", "training.schedule.final_factor"},
                   "a learning rate above 0 until the last update", "use total 0 (max_updates), or a final_factor");
  }
  checker.advise(training.max_updates == 0 || schedule.warmup == 0 || schedule.warmup < training.max_updates,
                 {warmup, "training.max_updates"}, "a warmup that ends before the training does",
                 "use a smaller warmup, unless this is a trial");
  const ParallelFiles& dev = checker.config().data.dev;
  checker.require(!plateau || !dev.empty(), {type, "data.dev.source", "data.dev.tsv"},
                  "data.dev, because " + schedule.type + " watches the validation metric",
                  "add data.dev, or use another type");
}

void check_validation(Checker& checker) {
  const Config& config = checker.config();
  const ValidationOptions& validation = config.training.validation;
  const bool dev = !config.data.dev.empty();
  const bool any = dev || !config.data.test.empty();
  const std::string prefix = "training.validation.";
  const std::string metrics = prefix + "metrics";
  const auto measures = [&](auto wanted) {
    return std::any_of(validation.metrics.begin(), validation.metrics.end(), [&](const std::string& name) {
      const Metric* metric = validation_metrics().find(name);
      return metric != nullptr && wanted(*metric);
    });
  };
  const bool bleu = measures([](const Metric& metric) { return metric.reads_bleu_options; });
  const std::vector<std::string> dev_keys = {"data.dev.source", "data.dev.tsv"};
  for (const char* name :
       {"every_updates", "every_epochs", "at_start", "beam_size", "early_stopping.metric", "early_stopping.patience"}) {
    checker.only_when(dev, prefix + name, dev_keys, "nothing is validated without dev data", "add data.dev");
  }
  for (const char* name : {"metrics", "tokenize", "lowercase"}) {
    checker.only_when(any, prefix + name, {"data.dev.source", "data.test.source"},
                      "nothing is measured without dev or test data", "add data.dev");
  }
  if (!any) return;
  const std::string add_bleu = "add bleu to the metrics";
  checker.only_when(bleu, prefix + "tokenize", {metrics}, "only bleu reads it", add_bleu);
  checker.only_when(bleu, prefix + "lowercase", {metrics}, "only bleu reads it", add_bleu);
  if (!dev) return;
  checker.only_when(measures([](const Metric& metric) { return metric.translates(); }), prefix + "beam_size", {metrics},
                    "none of these metrics translates", add_bleu);
  checker.only_when(validation.every_updates == 0, prefix + "every_epochs", {prefix + "every_updates"},
                    "updates are counted when every_updates is set", "use every_updates: 0");
  const std::string& stopping = validation.early_stopping.metric;
  checker.require(measures([&](const Metric& metric) { return metric.name == stopping; }),
                  {prefix + "early_stopping.metric", metrics},
                  "one of the metrics that are measured, because it decides which model is the best",
                  "add " + stopping + " to the metrics");
}

void check_limits(Checker& checker) {
  const TrainOptions& training = checker.config().training;
  checker.require(
      training.max_updates > 0 || training.max_epochs > 0 || training.validation.early_stopping.patience > 0,
      {"training.max_epochs", "training.max_updates", "training.validation.early_stopping.patience"},
      "an end of the training", "set max_updates or max_epochs");
}

}  // namespace

void check_training(Checker& checker) {
  const TrainOptions& training = checker.config().training;
  check_limits(checker);
  check_optimizer(checker);
  check_schedule(checker);
  check_validation(checker);
  const CheckpointOptions& checkpoints = training.checkpoints;
  const std::string last = "training.checkpoints.average_last";
  checker.require(training.ema == 0 || checkpoints.average_last == 0, {last, "training.ema"},
                  "one of the two, because either replaces the weights that are saved", "remove one");
  checker.require(checkpoints.average_last <= checkpoints.keep, {last, "training.checkpoints.keep"},
                  "at most keep, because the mean is read from the checkpoints", "keep more checkpoints");
  checker.require(checkpoints.average_last != 1, {last}, "0 (off) or at least 2", "use 0");
  const auto longest = static_cast<Index>(checker.config().data.max_length);
  checker.require(longest < training.batch_tokens, {"training.batch_tokens", "data.max_length"},
                  "at least max_length + 1 (" + std::to_string(longest + 1) +
                      "), because a batch holds whole sentences with their end token",
                  "use more batch_tokens or a smaller max_length");
}

void check_decoding(Checker& checker) {
  const DecodeOptions& decoding = checker.config().decoding;
  const std::vector<std::string> cap_keys = {"decoding.max_length.extra", "decoding.max_length.factor"};
  // The shortest source that is translated has one piece.
  const double cap = decoding.max_length_factor + static_cast<double>(decoding.max_length_extra);
  checker.require(cap >= 1, cap_keys, "room for at least one piece", "use a larger extra");
  checker.require(
      cap < 1 || static_cast<double>(decoding.min_length) <= cap, {"decoding.min_length", cap_keys[0], cap_keys[1]},
      "at most factor x 1 + extra, the cap of a source of one piece", "use a smaller min_length or a larger extra");
  const std::string replace = "decoding.replace_unknown";
  checker.only_when(decoding.allow_unknown, replace, {"decoding.allow_unknown"}, "the unknown token is never written",
                    "use allow_unknown: true");
  checker.require(!decoding.replace_unknown || checker.config().model.decoder.attends(),
                  {replace, "model.decoder.attention.score"}, "a decoder with attention, which says what to write",
                  "use another score, or remove replace_unknown");
  checker.only_when(decoding.length_penalty != "none", "decoding.length_penalty.alpha",
                    {"decoding.length_penalty.formula"}, "formula none has no exponent", "use formula average");
}

}  // namespace dragoman
