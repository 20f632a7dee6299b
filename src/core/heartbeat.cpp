#include "core/heartbeat.h"

#include <utility>

namespace dragoman {

Heartbeat::Heartbeat(std::function<void()> say, Duration first, Duration later)
    : say_(std::move(say)), thread_([this, first, later] { run(first, later); }) {}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Heartbeat::heard() {
  {
    const std::lock_guard lock(mutex_);
    heard_ = true;
  }
  changed_.notify_one();
}

void Heartbeat::run(Duration first, Duration later) {
  std::unique_lock lock(mutex_);
  for (Duration silence = first; !ended_; silence = later) {
    if (changed_.wait_for(lock, silence, [this] { return heard_ || ended_; })) {
      heard_ = false;
      continue;
    }
    lock.unlock();
    try {
      say_();
    } catch (...) {  // what can't be written now will be missed by those who must write
      return;
    }
    lock.lock();
    heard_ = false;
  }
}

}  // namespace dragoman
