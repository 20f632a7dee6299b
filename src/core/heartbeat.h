// Speaks up in long silences.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace dragoman {

/// Calls say(), in a thread of its own, whenever nothing was heard for a while.
class Heartbeat {
 public:
  using Duration = std::chrono::steady_clock::duration;

  /// `first`: the longest silence until something is heard for the first time; `later`: the longest after that.
  Heartbeat(std::function<void()> say, Duration first, Duration later);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// Something was said.
  void heard();

 private:
  void run(Duration first, Duration later);

  std::function<void()> say_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool heard_ = false, ended_ = false;
  std::thread thread_;
};

}  // namespace dragoman
