#include "data/batcher.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace dragoman {

/// Windows, made ahead into a bounded queue or on demand.
class Batcher::Source {
 public:
  Source(WindowMaker maker, std::size_t prefetch) : maker_(std::move(maker)), prefetch_(prefetch) {
    if (prefetch_ > 0) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  Window next() {
    if (prefetch_ == 0) return maker_.next();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !queue_.empty() || error_; });
    if (queue_.empty()) std::rethrow_exception(error_);
    Window window = std::move(queue_.front());
    queue_.pop_front();
    changed_.notify_all();
    return window;
  }

 private:
  void run(const std::stop_token& stop) {
    try {
      while (!stop.stop_requested()) {
        Window window = maker_.next(stop);
        std::unique_lock lock(mutex_);
        if (!changed_.wait(lock, stop, [this] { return queue_.size() < prefetch_; })) return;
        queue_.push_back(std::move(window));
        changed_.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
      changed_.notify_all();
    }
  }

  WindowMaker maker_;
  std::size_t prefetch_;
  std::mutex mutex_;
  std::condition_variable_any changed_;  // the queue or the error
  std::deque<Window> queue_;
  std::exception_ptr error_;
  std::jthread thread_;  // last, so that it ends before what it uses
};

Batcher::Batcher(PairEncoder encoder, WindowOptions options, BatchPosition start, std::size_t prefetch,
                 std::shared_ptr<DataExaminer> examiner)
    : start_(start) {
  WindowMaker maker(std::move(encoder), options, start.epoch, start.window, std::move(examiner));
  source_ = std::make_unique<Source>(std::move(maker), prefetch);
}

Batcher::~Batcher() = default;

TrainingBatch Batcher::next() {
  while (next_batch_ >= window_.batches.size()) {
    window_ = source_->next();
    const bool is_start = window_.epoch == start_.epoch && window_.index == start_.window;
    next_batch_ = is_start ? start_.batch : 0;
  }
  TrainingBatch result;
  result.batch = std::move(window_.batches[next_batch_++]);
  if (next_batch_ < window_.batches.size()) {
    result.after = {window_.epoch, window_.index, next_batch_};
  } else if (!window_.ends_epoch) {
    result.after = {window_.epoch, window_.index + 1, 0};
  } else {
    result.after = {window_.epoch + 1, 0, 0};
    result.ends_epoch = true;
    result.report = std::move(window_.report);
  }
  return result;
}

}  // namespace dragoman
