#include "app/threads.h"

#include "core/parallel.h"
#include "core/processors.h"

namespace dragoman {

int use_threads(int wanted) {
  const int threads = wanted > 0 ? wanted : available_processors();
  set_threads(threads);
  return threads;
}

}  // namespace dragoman
