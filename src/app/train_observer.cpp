#include "app/train_observer.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
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

constexpr std::size_t kTimeColumns = 9;  // "12:34:56 "

/// Columns for the text of a line on standard error; 0: it is no terminal.
std::size_t terminal_columns() {
  if (isatty(STDERR_FILENO) == 0) return 0;
  constexpr std::size_t kUsual = 80;
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 2 * kTimeColumns;
  return (known ? size.ws_col : kUsual) - kTimeColumns;
}

}  // namespace

void catch_stop_signals() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  if (std::signal(SIGHUP, on_signal) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // nohup
}

TrainObserver::TrainObserver(std::filesystem::path model_dir, bool resume, bool smoothed, const DirectoryLock& lock)
    : model_dir_(std::move(model_dir)), lock_(lock), smoothed_(smoothed) {
  std::signal(SIGPIPE, SIG_IGN);  // `train | head`: the terminal is gone, train.log is not
  for (const char* name : {"train.log", "metrics.jsonl", "timing.jsonl"}) {  // spdlog follows links
    append_to_file((model_dir_ / name).string(), "");
  }
  const std::string path = (model_dir_ / "train.log").string();
  const auto logger = [](const char* name, spdlog::sink_ptr sink) {
    return std::make_shared<spdlog::logger>(name, std::move(sink));
  };
  try {
    terminal_ = logger("terminal", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    file_ = logger("file", std::make_shared<spdlog::sinks::basic_file_sink_mt>(path, !resume));
  } catch (const spdlog::spdlog_ex& e) {
    throw UserError(path, 0, e.what());
  }
  terminal_->set_pattern(terminal_columns() > 0 ? "%H:%M:%S %v" : "%Y-%m-%d %H:%M:%S  %v");
  file_->set_pattern("%Y-%m-%d %H:%M:%S  %v");
  for (const auto& log : {terminal_, file_}) {
    log->flush_on(spdlog::level::info);
    log->set_error_handler([path](const std::string& what) { throw UserError(path, 0, what); });
  }
  using std::chrono::seconds;
  heartbeat_.emplace([this] { say_progress(); }, seconds(10), seconds(60));
}

TrainObserver::~TrainObserver() = default;

void TrainObserver::say(const std::string& terminal, const std::string& file, bool warning) {
  terminal_->log(warning ? spdlog::level::warn : spdlog::level::info, "{}", terminal);
  file_->log(warning ? spdlog::level::warn : spdlog::level::info, "{}", file);
}

void TrainObserver::begins(Activity activity, std::int64_t update) {
  const std::lock_guard lock(mutex_);
  activity_ = activity;
  activity_update_ = update;
}

void TrainObserver::progress(const IntervalReport& report) {
  const std::lock_guard lock(mutex_);
  progress_ = report;
}

void TrainObserver::say_progress() {
  std::vector<LinePart> fields;
  {
    const std::lock_guard lock(mutex_);
    const std::string update = "update " + std::to_string(activity_update_);
    if (activity_ == Activity::test) {
      fields = {{"the test set is being translated"}};
    } else if (activity_ == Activity::validation) {
      fields = {{"validation after " + update + " is going on"}};
    } else if (progress_) {
      fields = interval_fields(*progress_, smoothed_);
      fields.push_back({"(so far)", 5});
    } else {
      fields = {{update + " is being computed"}};
    }
  }
  say(one_line_of(fields, terminal_columns()), one_line_of(fields, 0));
}

void TrainObserver::info(const std::string& message) { say(message, message); }

void TrainObserver::warning(const std::string& message) { say("warning: " + message, "warning: " + message, true); }

void TrainObserver::append(const char* file, const std::string& line) const {
  lock_.check();
  append_to_file((model_dir_ / file).string(), line + "\n");
}

void TrainObserver::interval(const IntervalReport& r) {
  {
    const std::lock_guard lock(mutex_);
    progress_.reset();
  }
  const std::vector<LinePart> fields = interval_fields(r, smoothed_);
  say(one_line_of(fields, terminal_columns()), one_line_of(fields, 0));
  heartbeat_->heard();
  const double speed = r.seconds > 0 ? static_cast<double>(r.labels) / r.seconds : 0;
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
  const std::vector<LinePart> fields = validation_fields(kind, r, smoothed_);
  say(lines_of(fields, terminal_columns(), kTimeColumns), lines_of(fields, 0, 0));
  heartbeat_->heard();
  if (!r.bleu_signature.empty() && !signature_told_) info("BLEU is " + r.bleu_signature);
  signature_told_ = signature_told_ || !r.bleu_signature.empty();
  Json metrics = Json::object();
  for (const auto& [name, value] : r.metrics) metrics[name] = value;
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
  info("resumed after update " + std::to_string(update));
}

void TrainObserver::saving() {
  lock_.check();
  sync_file((model_dir_ / "metrics.jsonl").string());
}

int TrainObserver::stop_signal() { return g_stop_signal; }

}  // namespace dragoman
