#include "app/threads.h"

#include <thread>

#include "core/error.h"
#include "core/parallel.h"

namespace dragoman {

int use_threads(int wanted) {
  constexpr int kMost = 1024;
  if (wanted < 0 || wanted > kMost) {
    throw UserError("threads: found " + std::to_string(wanted) + ", expected 0 (all cores) to " +
                    std::to_string(kMost));
  }
  const int threads = wanted > 0 ? wanted : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  set_threads(threads);
  return threads;
}

}  // namespace dragoman
