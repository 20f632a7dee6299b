// The observer of `dragoman train`: terminal and train.log through spdlog, metrics.jsonl and timing.jsonl.
#pragma once

#include <filesystem>
#include <memory>

#include "app/directory_lock.h"
#include "train/observer.h"

namespace spdlog {
class logger;
}

namespace dragoman {

class TrainObserver : public Observer {
 public:
  /// Appends to the files of model_dir when resuming, else starts them anew. From now on a reader of standard error that
  /// is gone stops nothing. Before each write to the directory the lock is checked. UserError: not writable, or a log is
  /// a link or no regular file.
  TrainObserver(std::filesystem::path model_dir, bool resume, const DirectoryLock& lock);
  ~TrainObserver() override;

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
  void report(const char* kind, const ValidationReport& report);
  void append(const char* file, const std::string& line) const;

  std::filesystem::path model_dir_;
  const DirectoryLock& lock_;
  std::shared_ptr<spdlog::logger> log_;
};

/// SIGINT, SIGTERM and SIGHUP (unless ignored) from now on ask for a stop; a second one quits at once.
void catch_stop_signals();

}  // namespace dragoman
