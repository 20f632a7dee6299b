// Threads. Independent pieces of work go to OpenMP threads; which thread runs a piece never changes a result.
#pragma once

#include <omp.h>

#include <exception>

#include "core/real.h"

namespace dragoman {

/// Call once, before any library runs: it also bounds the threads that libraries take.
inline void set_threads(int threads) {
  omp_set_dynamic(0);
  omp_set_max_active_levels(1);
  omp_set_num_threads(threads);
}

inline int max_threads() { return omp_get_max_threads(); }

/// Runs work(i, worker) for i in 0 .. n-1, each exactly once; worker in 0 .. max_threads()-1 names the thread.
/// The region always has all threads, however few pieces there are, so that a library called inside sees the
/// same surroundings (it stays single-threaded). Of several exceptions that of the lowest i is passed on.
template <class Work>
void parallel_for(Index n, Work&& work) {
  std::exception_ptr error;
  Index error_at = n;
#pragma omp parallel
  {
    const int worker = omp_get_thread_num();
#pragma omp for schedule(dynamic, 1)
    for (Index i = 0; i < n; ++i) {
      try {
        work(i, worker);
      } catch (...) {
#pragma omp critical(dragoman_parallel_error)
        if (i < error_at) {
          error_at = i;
          error = std::current_exception();
        }
      }
    }
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace dragoman
