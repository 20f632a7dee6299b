#include <algorithm>

#include "config/checks.h"

namespace dragoman {
namespace {

void check_optimizer(Checker& checker) {
  const OptimizerOptions& optimizer = checker.config().training.optimizer;
  const std::string type = "training.optimizer.type";
  const bool adam = optimizer.type != "sgd";
  checker.only_when(adam, "training.optimizer.betas", {type}, "sgd has no moments", "use type adam");
  checker.only_when(adam, "training.optimizer.epsilon", {type}, "sgd divides by nothing", "use type adam");
  checker.only_when(!adam, "training.optimizer.momentum", {type}, "only sgd reads it", "use betas, or type sgd");
  checker.only_when(optimizer.type == "adamw", "training.optimizer.weight_decay", {type}, "only adamw reads it",
                    "use type adamw");
}

void check_schedule(Checker& checker) {
  const TrainOptions& training = checker.config().training;
  const ScheduleOptions& schedule = training.schedule;
  const std::string type = "training.schedule.type";
  const std::string total = "training.schedule.total";
  const std::string warmup = "training.schedule.warmup";
  const bool falling = schedule.type == "linear" || schedule.type == "cosine";
  const bool plateau = schedule.type == "plateau";

  checker.only_when(falling, total, {type}, "only linear and cosine read it", "use type linear");
  checker.only_when(falling, "training.schedule.final_factor", {type}, "only linear and cosine read it",
                    "use type linear");
  checker.only_when(plateau, "training.schedule.factor", {type}, "only plateau reads it", "use type plateau");
  checker.only_when(plateau, "training.schedule.patience", {type}, "only plateau reads it", "use type plateau");
  checker.require(schedule.type != "inverse_sqrt" || schedule.warmup > 0, {type, warmup},
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
                  "data.dev, because plateau watches the validation metric", "add data.dev, or use another type");
}

void check_validation(Checker& checker) {
  const Config& config = checker.config();
  const ValidationOptions& validation = config.training.validation;
  const bool dev = !config.data.dev.empty();
  const bool any = dev || !config.data.test.empty();
  const std::string prefix = "training.validation.";
  const std::string metrics = prefix + "metrics";
  const auto measures = [&](const char* name) {
    return std::find(validation.metrics.begin(), validation.metrics.end(), name) != validation.metrics.end();
  };
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
  checker.only_when(measures("bleu"), prefix + "tokenize", {metrics}, "only bleu reads it", add_bleu);
  checker.only_when(measures("bleu"), prefix + "lowercase", {metrics}, "only bleu reads it", add_bleu);
  if (!dev) return;
  checker.only_when(measures("bleu") || measures("sequence_accuracy"), prefix + "beam_size", {metrics},
                    "none of these metrics translates", add_bleu);
  checker.only_when(validation.every_updates == 0, prefix + "every_epochs", {prefix + "every_updates"},
                    "updates are counted when every_updates is set", "use every_updates: 0");
  checker.require(measures(validation.early_stopping.metric.c_str()), {prefix + "early_stopping.metric", metrics},
                  "one of the metrics that are measured, because it decides which model is the best",
                  "add " + validation.early_stopping.metric + " to the metrics");
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
