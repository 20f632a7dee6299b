#include "app/train_observer.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "io/atomic_file.h"
#include "io/line_reader.h"

namespace dragoman {
namespace {

using Json = nlohmann::ordered_json;

std::atomic<int> g_stop_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free, "for use in a signal handler");

void on_signal(int signal) {
  if (g_stop_signal != 0) {  // the second one
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  g_stop_signal = signal;
}

double six_decimals(double x) { return std::round(x * 1e6) / 1e6; }

std::string clock_text(double seconds) {
  if (seconds < 0) return "?";
  const auto s = static_cast<long>(seconds);
  char text[32];
  if (s >= 3600) {
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
  } else {
    std::snprintf(text, sizeof text, "%ld:%02ld", s / 60, s % 60);
  }
  return text;
}

}  // namespace

void catch_stop_signals() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  if (std::signal(SIGHUP, on_signal) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // nohup
}

TrainObserver::TrainObserver(std::filesystem::path model_dir, bool resume, const DirectoryLock& lock)
    : model_dir_(std::move(model_dir)), lock_(lock) {
  std::signal(SIGPIPE, SIG_IGN);  // `train | head`: the terminal is gone, train.log is not
  for (const char* name : {"train.log", "metrics.jsonl", "timing.jsonl"}) {  // spdlog follows links
    append_to_file((model_dir_ / name).string(), "");
  }
  try {
    auto terminal = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    auto file = std::make_shared<spdlog::sinks::basic_file_sink_mt>((model_dir_ / "train.log").string(), !resume);
    log_ = std::make_shared<spdlog::logger>("train", spdlog::sinks_init_list{terminal, file});
  } catch (const spdlog::spdlog_ex& e) {
    throw UserError((model_dir_ / "train.log").string(), 0, e.what());
  }
  log_->set_pattern("%Y-%m-%d %H:%M:%S  %v");
  log_->flush_on(spdlog::level::info);
  log_->set_error_handler(
      [path = (model_dir_ / "train.log").string()](const std::string& what) { throw UserError(path, 0, what); });
}

TrainObserver::~TrainObserver() = default;

void TrainObserver::info(const std::string& message) { log_->info("{}", message); }

void TrainObserver::warning(const std::string& message) { log_->warn("warning: {}", message); }

void TrainObserver::append(const char* file, const std::string& line) const {
  lock_.check();
  append_to_file((model_dir_ / file).string(), line + "\n");
}

void TrainObserver::interval(const IntervalReport& r) {
  const double speed = r.seconds > 0 ? static_cast<double>(r.labels) / r.seconds : 0;
  log_->info("epoch {:>3}  update {:>7}  loss {:.4f}  ppl {:>9.3f}  lr {:.3e}  grad {:.3f}  {:>7.0f} tok/s  left {}",
             r.epoch, r.update, r.loss, r.perplexity, r.learning_rate, r.gradient_norm, speed,
             clock_text(r.seconds_left));
  append("metrics.jsonl", Json{{"kind", "train"},
                               {"epoch", r.epoch},
                               {"update", r.update},
                               {"loss", r.loss},
                               {"perplexity", r.perplexity},
                               {"learning_rate", r.learning_rate},
                               {"gradient_norm", r.gradient_norm}}
                              .dump());
  append("timing.jsonl",
         Json{{"kind", "train"}, {"update", r.update}, {"seconds", r.seconds}, {"tokens_per_second", speed}}.dump());
}

void TrainObserver::report(const char* kind, const ValidationReport& r) {
  std::string text;
  Json metrics = Json::object();
  for (const auto& [name, value] : r.metrics) {
    text += fmt::format("  {} {:.4f}", name, value);
    metrics[name] = value;
  }
  if (r.cut.value_or(0) > 0) text += "  " + std::to_string(*r.cut) + " translations cut at the longest length allowed";
  if (!r.bleu_signature.empty()) text += "  (BLEU " + r.bleu_signature + ")";
  log_->info("{:<10} update {:>7}{}{}  {:.1f} s", kind, r.update, text, r.best ? "  best so far" : "", r.seconds);
  Json attention = Json::array();
  for (const HeadEntropy& h : r.attention) {
    attention.push_back({{"kind", h.kind},
                         {"layer", h.layer},
                         {"head", h.head},
                         {"entropy", six_decimals(h.entropy)},
                         {"largest", six_decimals(h.largest)}});
  }
  Json record{{"kind", kind}, {"epoch", r.epoch}, {"update", r.update}, {"metrics", metrics}, {"best", r.best}};
  record["attention"] = attention;
  if (r.cut) record["translations_cut"] = *r.cut;
  append("metrics.jsonl", record.dump());
  append("timing.jsonl", Json{{"kind", kind}, {"update", r.update}, {"seconds", r.seconds}}.dump());
}

void TrainObserver::validation(const ValidationReport& r) { report("validation", r); }

void TrainObserver::test(const ValidationReport& r) { report("test", r); }

void TrainObserver::resumed(std::int64_t update, std::int64_t reports) {
  lock_.check();
  const std::string path = (model_dir_ / "metrics.jsonl").string();
  std::int64_t missing = reports;
  std::string kept;  // without what came later, such as a line that a crash cut off
  if (std::filesystem::exists(path)) {
    LineReader lines(path);
    for (std::string line; missing > 0 && lines.next(line); --missing) kept += line + "\n";
  }
  write_file_atomically(path, kept);
  if (missing > 0) {
    warning(path + ": " + std::to_string(missing) + " of the " + std::to_string(reports) +
            " reports before the checkpoint are lost");
  }
  log_->info("resumed after update {}", update);
}

void TrainObserver::saving() {
  lock_.check();
  sync_file((model_dir_ / "metrics.jsonl").string());
}

int TrainObserver::stop_signal() { return g_stop_signal; }

}  // namespace dragoman
