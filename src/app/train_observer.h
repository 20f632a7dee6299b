// The observer of `dragoman train`: standard error and train.log through spdlog, metrics.jsonl and timing.jsonl. On a
// terminal lines are short: the time without the date, and what fits.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/directory_lock.h"
#include "app/progress_text.h"
#include "core/heartbeat.h"
#include "train/observer.h"

namespace spdlog {
class logger;
}

namespace dragoman {

class TrainObserver : public Observer {
 public:
  /// Appends to the files of model_dir when resuming, else starts them anew. From now on a reader of standard error that
  /// is gone stops nothing. `smoothed`: labels are, which the lines say. Before each write to the directory the lock is
  /// checked. UserError: not writable, or a log is a link or no regular file.
  TrainObserver(std::filesystem::path model_dir, bool resume, bool smoothed, const DirectoryLock& lock);
  ~TrainObserver() override;

  void begins(Activity activity, std::int64_t update) override;
  void progress(const IntervalReport& report) override;
  void info(const std::string& message) override;
  void warning(const std::string& message) override;
  void interval(const IntervalReport& report) override;
  void validation(const ValidationReport& report) override;
  void test(const ValidationReport& report) override;
  /// metrics.jsonl is cut back to the checkpoint. Warns when it lacks some of those reports.
  void resumed(std::int64_t update, std::int64_t reports) override;
  void saving() override;
  int stop_signal() override;

 private:
  /// To standard error and to train.log.
  void say(const std::string& terminal, const std::string& file, bool warning = false);
  /// What is going on, when nothing was said for a while; in the heartbeat's thread.
  void say_progress();
  void report(const char* kind, const ValidationReport& report);
  void append(const char* file, const std::string& line) const;

  std::filesystem::path model_dir_;
  const DirectoryLock& lock_;
  bool smoothed_;
  bool signature_told_ = false;
  std::shared_ptr<spdlog::logger> terminal_, file_;
  std::mutex mutex_;  ///< of the three below
  Activity activity_ = Activity::update;
  std::int64_t activity_update_ = 1;
  std::optional<IntervalReport> progress_;
  std::optional<Heartbeat> heartbeat_;  ///< last: its thread uses the others
};

/// SIGINT, SIGTERM and SIGHUP (unless ignored) from now on ask for a stop; a second one quits at once.
void catch_stop_signals();

}  // namespace dragoman
