// Whole trainings: they learn, stop, keep the best, and interruptions change nothing.
#include "train/trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/rng.h"
#include "support/training_case.h"
#include "train/model_file.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

using testing::contains;

/// Validation often, a plateau schedule, and early stopping by a rate at which the model soon overfits.
void stop_early(TrainingCase& c) {
  c.input.training.max_updates = 80;
  c.input.training.optimizer.learning_rate = 0.08;
  c.input.training.schedule.type = "plateau";
  c.input.training.schedule.factor = 0.7;
  c.input.training.schedule.patience = 1;
  c.input.training.validation.early_stopping.patience = 2;
}

TEST(Trainer, OverfitsTwentyPairs) {
  TrainingCase c;
  c.model_config = tiny_config();
  c.model_config.encoder.hidden_size = c.model_config.decoder.hidden_size = 24;
  c.model_config.encoder.embedding_size = c.model_config.decoder.embedding_size = 16;
  c.model_config.init = {};
  c.input.dev = c.input.test = c.text.corpus.get();
  c.input.training.accumulate = 1;
  c.input.training.batch_tokens = 60;
  c.input.training.max_updates = 160;
  c.input.training.optimizer.learning_rate = 0.02;
  c.input.training.label_smoothing = 0;
  c.input.training.validation.every_updates = 160;
  c.input.training.validation.metrics = {"loss", "perplexity", "accuracy", "sequence_accuracy", "bleu"};
  Recorder recorder;
  EXPECT_EQ(c.run("m", recorder), 0);
  ASSERT_EQ(recorder.validations.size(), 1U);
  ASSERT_EQ(recorder.tests.size(), 1U);
  for (const ValidationReport& r : {recorder.validations[0], recorder.tests[0]}) {
    EXPECT_EQ(r.metrics.at("accuracy"), 1);
    EXPECT_EQ(r.metrics.at("sequence_accuracy"), 1);
    EXPECT_NEAR(r.metrics.at("bleu"), 100, 1e-9);
    EXPECT_LT(r.metrics.at("loss"), 0.1);
    EXPECT_NEAR(r.metrics.at("perplexity"), std::exp(r.metrics.at("loss")), 1e-9) << "without smoothing";
  }
}

/// Settings that must survive an interruption, each with all that it needs.
void use(TrainingCase& c, const std::string& kind) {
  if (kind == "early stopping") stop_early(c);
  if (kind == "moving average") c.input.training.ema = 0.7;
  if (kind == "mean of checkpoints") c.input.training.checkpoints = {.every_updates = 3, .keep = 3, .average_last = 3};
  if (kind == "by epochs") {
    c.input.training.validation.every_updates = 0;
    c.input.training.validation.at_start = true;
    c.input.training.max_epochs = 3;
  }
  if (kind == "skip" || kind.starts_with("rollback")) {
    poison(c);
    c.input.training.on_divergence = kind == "skip" ? "skip" : "rollback";
    c.input.training.max_updates = 8;
    c.input.training.validation.at_start = kind == "rollback far";
    c.input.training.checkpoints.every_updates = kind == "rollback far" ? 100 : 0;
  }
}

TEST(Trainer, InterruptionsAnywhereChangeNothing) {
  std::int64_t interruptions = 0, in_validation = 0;
  for (const std::string kind : {"early stopping", "moving average", "mean of checkpoints", "by epochs",
                                 "sampled pieces", "skip", "rollback", "rollback far"}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      SCOPED_TRACE(kind + ", seed " + std::to_string(seed));
      TrainingCase c(kind == "sampled pieces" ? "sentencepiece" : "word",
                     kind == "skip" || kind.starts_with("rollback") ? kPoison : "");
      use(c, kind);
      Recorder whole, parts;
      ASSERT_EQ(c.run("whole", whole), 0);
      Rng rng(hash_key({seed, hash_name(kind)}));
      parts.stop = [&] { return rng.uniform() < 0.3; };
      int signal = c.run("parts", parts);
      for (int runs = 1; signal != 0 && runs < 500; ++runs) {
        ASSERT_EQ(signal, 15);
        ++interruptions;
        in_validation += Checkpoints(c.directory("parts")).latest_state().validation_due ? 1 : 0;
        signal = c.run("parts", parts, true);
      }
      ASSERT_EQ(signal, 0) << "it must get to its end";
      EXPECT_TRUE(c.model_bytes("parts") == c.model_bytes("whole"));
      EXPECT_EQ(parts.reports(), whole.reports());
      expect_same_tree(c.directory("parts"), c.directory("whole"));  // the same checkpoints are kept
    }
  }
  EXPECT_GT(interruptions, 100);
  EXPECT_GT(in_validation, 20);
}

/// The parameters of a model.safetensors.
std::vector<Real> weights_in(TrainingCase& c, const std::filesystem::path& directory) {
  const auto model = c.text.model(c.model_config);
  load_model((directory / "model.safetensors").string(), model->params());
  return {model->params().data(), model->params().data() + model->params().size()};
}

TEST(Trainer, SavesTheMeanOfTheLastCheckpoints) {
  TrainingCase c;
  c.input.dev = nullptr;  // the last is saved
  c.input.training.checkpoints = {.every_updates = 2, .keep = 4, .average_last = 3};
  Recorder recorder;
  EXPECT_EQ(c.run("m", recorder), 0);  // 12 updates
  const std::filesystem::path checkpoints = c.directory("m") / "checkpoints";
  EXPECT_TRUE(std::filesystem::exists(checkpoints / "000006"));
  const std::vector<Real> saved = weights_in(c, c.directory("m"));
  const std::vector<Real> a = weights_in(c, checkpoints / "000008"), b = weights_in(c, checkpoints / "000010"),
                          last = weights_in(c, checkpoints / "000012");
  for (std::size_t i = 0; i < saved.size(); ++i) {
    const double mean = (static_cast<double>(a[i]) + static_cast<double>(b[i]) + static_cast<double>(last[i])) / 3;
    ASSERT_EQ(saved[i], static_cast<Real>(mean)) << i;
  }
  EXPECT_NE(saved, last);
}

TEST(Trainer, ValidatesAndSavesTheMovingAverage) {
  TrainingCase c;
  c.input.training.ema = 0.5;
  Recorder recorder;
  EXPECT_EQ(c.run("m", recorder), 0);
  // The average by its definition, from the weights after each update.
  std::vector<Real> average;
  for (std::int64_t update = 1; update <= 12; ++update) {
    TrainingCase part;
    part.input.dev = nullptr;
    part.input.training.max_updates = update;
    Recorder unused;
    EXPECT_EQ(part.run("part", unused), 0);
    const std::vector<Real> x = weights_in(part, part.directory("part"));
    if (average.empty()) average.resize(x.size());
    const double decay = std::min(0.5, static_cast<double>(update - 1) / static_cast<double>(update + 8));
    for (std::size_t i = 0; i < x.size(); ++i) {
      average[i] = static_cast<Real>(decay * static_cast<double>(average[i]) + (1 - decay) * static_cast<double>(x[i]));
    }
  }
  ASSERT_TRUE(recorder.validations.back().best) << "so the last is what was saved";
  const std::vector<Real> saved = weights_in(c, c.directory("m"));
  for (std::size_t i = 0; i < saved.size(); ++i) ASSERT_NEAR(saved[i], average[i], 1e-6) << i;
  EXPECT_NE(saved, weights_in(c, c.directory("m") / "checkpoints" / "000012"))
      << "training goes on with its own weights";
}

TEST(Trainer, TransformersAndHybridsOverfitTwentyPairs) {
  for (const bool encoder : {true, false}) {
    for (const bool decoder : {true, false}) {
      if (!encoder && !decoder) continue;
      TrainingCase c;
      c.model_config = tiny_config();
      make_transformer(c.model_config, encoder, decoder);
      c.model_config.encoder.transformer.model_size = c.model_config.decoder.transformer.model_size = 24;
      c.model_config.encoder.hidden_size = c.model_config.decoder.hidden_size = 24;
      c.model_config.init = {};
      c.input.dev = c.text.corpus.get();
      c.input.training.accumulate = 1;
      c.input.training.batch_tokens = 60;
      c.input.training.max_updates = 400;
      c.input.training.optimizer.learning_rate = 0.005;
      c.input.training.label_smoothing = 0;
      c.input.training.validation.every_updates = 400;
      c.input.training.validation.metrics = {"perplexity", "sequence_accuracy"};
      Recorder recorder;
      EXPECT_EQ(c.run("m", recorder), 0);
      EXPECT_EQ(recorder.validations.back().metrics.at("sequence_accuracy"), 1) << encoder << decoder;
    }
  }
}

TEST(Trainer, ACrashLosesNothingBeforeTheLastCheckpoint) {
  TrainingCase c;
  c.input.dev = nullptr;
  Recorder whole, again;
  EXPECT_EQ(c.run("whole", whole), 0);
  c.input.training.checkpoints.every_updates = 5;
  int asked = 0;
  again.stop = [&] { return ++asked == 8; };
  EXPECT_EQ(c.run("crash", again), 15);
  // As if the interruption had left nothing: back to the checkpoint of update 5.
  std::filesystem::remove_all(c.directory("crash") / "checkpoints" / "000008");
  std::ofstream(c.directory("crash") / "checkpoints" / "latest") << "000005\n";
  EXPECT_EQ(c.run("crash", again, true), 0);
  EXPECT_TRUE(c.model_bytes("crash") == c.model_bytes("whole"));
  EXPECT_EQ(again.reports(), whole.reports());
}

TEST(Trainer, StopsEarlyAndKeepsTheBestModel) {
  TrainingCase c;
  stop_early(c);
  c.input.test = c.input.dev;
  Recorder recorder;
  EXPECT_EQ(c.run("m", recorder), 0);
  const std::vector<ValidationReport>& v = recorder.validations;
  ASSERT_GT(v.size(), 4U);
  const auto best = std::min_element(v.begin(), v.end(), [](const ValidationReport& a, const ValidationReport& b) {
    return a.metrics.at("perplexity") < b.metrics.at("perplexity");
  });
  EXPECT_EQ(v.end() - best, 3) << "two validations without improvement after the best one";
  EXPECT_TRUE(best->best);
  for (auto later = best + 1; later != v.end(); ++later) EXPECT_FALSE(later->best);
  EXPECT_TRUE(contains(recorder.infos.back(), "perplexity has not improved for 2 validations"));
  ASSERT_EQ(recorder.tests.size(), 1U);
  EXPECT_EQ(recorder.tests[0].update, best->update);
  EXPECT_EQ(recorder.tests[0].metrics.at("perplexity"), best->metrics.at("perplexity")) << "the best model is tested";
}

TEST(Trainer, SaysWhyItEnds) {
  TrainingCase c;
  Recorder updates, epochs;
  EXPECT_EQ(c.run("updates", updates), 0);
  EXPECT_EQ(updates.infos.back(), "training ends at update 12: max_updates is reached");
  c.input.training.max_updates = 1000;
  c.input.training.max_epochs = 2;
  EXPECT_EQ(c.run("epochs", epochs), 0);
  EXPECT_TRUE(contains(epochs.infos.back(), "max_epochs (2) is reached, before max_updates (1000)"))
      << epochs.infos.back();
}

TEST(Pace, KnowsNoEndWithoutALimit) {
  TrainOptions options;
  options.max_epochs = 0;
  TrainingState state;
  state.update = 10;
  const Pace pace{.seconds = 5, .updates = 10, .pairs = 20};
  EXPECT_EQ(pace.seconds_left(options, state, 100), -1);
  options.max_updates = 30;
  EXPECT_EQ(pace.seconds_left(options, state, 100), 10);
  options.max_epochs = 1;
  state.epoch_pairs = 92;
  EXPECT_EQ(pace.seconds_left(options, state, 100), 2);
  EXPECT_EQ(Pace{}.seconds_left(options, state, 100), -1);
}

TEST(Trainer, ResumingAnEndedTrainingChangesNothing) {
  TrainingCase c;
  stop_early(c);
  Recorder recorder;
  EXPECT_EQ(c.run("m", recorder), 0);
  const auto files = tree_bytes(c.directory("m"));
  const std::string reports = recorder.reports();
  EXPECT_EQ(c.run("m", recorder, true), 0);
  EXPECT_TRUE(tree_bytes(c.directory("m")) == files);
  EXPECT_EQ(recorder.reports(), reports);
}

TEST(Trainer, EachIntervalReportCoversTheUpdatesSinceTheLast) {
  TrainingCase c;
  c.input.training.max_updates = 0;
  c.input.training.max_epochs = 3;
  Recorder recorder;
  EXPECT_EQ(c.run("m", recorder), 0);
  std::int64_t labels = 0, expected = 0;
  for (const IntervalReport& r : recorder.intervals) labels += r.labels;
  for (const Batch& batch : encode_all(c.encoder, 100)) {
    expected += 3 * batch.labels();
  }
  EXPECT_GT(recorder.intervals.size(), 2U);
  EXPECT_EQ(labels, expected) << "each label once an epoch";
}

TEST(Trainer, IntervalReportsAreTheMeansOfTheirUpdates) {
  TrainingCase c;
  Recorder single, several;
  c.input.training.schedule.type = "linear";
  c.input.training.log_every = 1;
  EXPECT_EQ(c.run("single", single), 0);
  c.input.training.log_every = 5;
  EXPECT_EQ(c.run("several", several), 0);
  ASSERT_EQ(single.intervals.size(), 12U);
  ASSERT_EQ(several.intervals.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t begin = 5 * i, end = std::min<std::size_t>(begin + 5, 12);
    double loss = 0, negative_log_prob = 0, norm = 0, labels = 0;
    for (std::size_t u = begin; u < end; ++u) {
      const IntervalReport& r = single.intervals[u];
      const auto n = static_cast<double>(r.labels);
      loss += r.loss * n;
      negative_log_prob += std::log(r.perplexity) * n;
      norm += r.gradient_norm;
      labels += n;
    }
    const IntervalReport& found = several.intervals[i];
    EXPECT_EQ(found.update, static_cast<std::int64_t>(end));
    EXPECT_EQ(found.labels, static_cast<Index>(labels));
    EXPECT_NEAR(found.loss, loss / labels, 1e-9);
    EXPECT_NEAR(found.perplexity, std::exp(negative_log_prob / labels), 1e-7);
    EXPECT_NEAR(found.gradient_norm, norm / static_cast<double>(end - begin), 1e-9);
    EXPECT_EQ(found.learning_rate, single.intervals[end - 1].learning_rate);
  }
}

TEST(Trainer, ReportsOfAModelThatStandsStillAreThoseOfItsValidation) {
  TrainingCase c;
  c.model_config.dropout = {};
  c.input.dev = c.text.corpus.get();  // the training data, an update an epoch
  c.input.training.batch_tokens = 1000;
  c.input.training.window = 100;
  c.input.training.optimizer.learning_rate = 1e-30;
  c.input.training.max_updates = 3;
  c.input.training.log_every = 3;
  c.input.training.accumulate = 1;
  c.input.training.validation.every_updates = 3;
  Recorder recorder;
  EXPECT_EQ(c.run("m", recorder), 0);
  ASSERT_EQ(recorder.intervals.size(), 1U);
  ASSERT_EQ(recorder.validations.size(), 1U);
  const auto& metrics = recorder.validations[0].metrics;
  EXPECT_NEAR(recorder.intervals[0].loss, metrics.at("loss"), 1e-5);
  EXPECT_NEAR(recorder.intervals[0].perplexity, metrics.at("perplexity"), 1e-4);
  EXPECT_GT(std::fabs(std::exp(metrics.at("loss")) - metrics.at("perplexity")), 1e-2) << "smoothing tells them apart";
}

TEST(Trainer, ALinearScheduleEndsWithMaxUpdatesUnlessTotalSaysOtherwise) {
  TrainingCase c;
  c.input.training.schedule.type = "linear";
  c.input.training.log_every = 1;
  Recorder recorder, longer;
  EXPECT_EQ(c.run("m", recorder), 0);
  ASSERT_EQ(recorder.intervals.size(), 12U);
  for (const IntervalReport& r : recorder.intervals) {  // 0.01 (1 - u / 12)
    EXPECT_NEAR(r.learning_rate, 0.01 - 0.01 * static_cast<double>(r.update) / 12, 1e-12) << r.update;
  }
  c.input.training.schedule.total = 24;
  EXPECT_EQ(c.run("longer", longer), 0);
  EXPECT_NEAR(longer.intervals.back().learning_rate, 0.005, 1e-12);
}

TEST(Trainer, ValidatesByEpochsAndAtTheStart) {
  TrainingCase c;
  c.input.training.validation.every_updates = 0;
  c.input.training.validation.every_epochs = 2;
  c.input.training.validation.at_start = true;
  c.input.training.max_updates = 0;
  c.input.training.max_epochs = 5;
  Recorder recorder;
  EXPECT_EQ(c.run("m", recorder), 0);
  std::vector<std::int64_t> epochs;
  for (const ValidationReport& r : recorder.validations) epochs.push_back(r.epoch);
  EXPECT_EQ(epochs, (std::vector<std::int64_t>{1, 2, 4, 5})) << "before the first epoch, each second one, the end";
  EXPECT_EQ(recorder.validations[0].update, 0);
}

TEST(Trainer, WithoutDevelopmentDataTheLastModelIsKept) {
  TrainingCase c;
  c.input.dev = nullptr;
  c.input.training.validation.every_updates = 0;
  c.input.training.checkpoints.every_updates = 5;
  Recorder recorder;
  EXPECT_EQ(c.run("m", recorder), 0);
  EXPECT_TRUE(recorder.validations.empty());
  const auto loaded = c.text.model(c.model_config, 9);
  load_model((c.directory("m") / "model.safetensors").string(), loaded->params());
  EXPECT_TRUE(
      std::equal(loaded->values().base, loaded->values().base + loaded->params().size(), c.model->values().base));
  EXPECT_TRUE(std::filesystem::exists(c.directory("m") / "checkpoints" / "000012")) << "the end is a checkpoint";
  // As after a crash between the last checkpoint and the model.
  const std::string bytes = c.model_bytes("m");
  std::filesystem::remove(c.directory("m") / "model.safetensors");
  EXPECT_EQ(c.run("m", recorder, true), 0);
  EXPECT_TRUE(c.model_bytes("m") == bytes);
}

TEST(Trainer, ThreadsChangeNoByte) {
  std::vector<std::string> models, reports;
  for (const int threads : {1, 2, 3}) {
    TrainingCase c;
    const ThreadsGuard guard(threads);
    Recorder recorder;
    EXPECT_EQ(c.run("m", recorder), 0);
    models.push_back(c.model_bytes("m"));
    reports.push_back(recorder.reports());
  }
  for (const std::size_t i : {1, 2}) {
    EXPECT_TRUE(models[i] == models[0]);
    EXPECT_EQ(reports[i], reports[0]);
  }
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
