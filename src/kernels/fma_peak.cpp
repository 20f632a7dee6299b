#include "kernels/fma_peak.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "core/parallel.h"
#include "kernels/vector.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr int kChains = 12;  // enough to hide the latency of 4 to 5 cycles at 2 a cycle
constexpr int kRepeats = 4'000'000;

/// Operations done. The result goes through `sink`, so that the compiler keeps the work.
double multiply_add(Real* sink) {
  Vector sums[kChains];
  for (int i = 0; i < kChains; ++i) sums[i] = Vector{} + static_cast<Real>(i);  // equal chains would be merged
  const Vector factor = load(sink);
  const Vector term = load(sink + kLanes);
  for (int i = 0; i < kRepeats; ++i) {
#pragma GCC unroll 16
    for (Vector& sum : sums) sum = sum * factor + term;
  }
  Vector total = sums[0];
  for (int i = 1; i < kChains; ++i) total += sums[i];
  store(sink, total);
  return 2.0 * kLanes * kChains * kRepeats;
}

}  // namespace

FmaPeak measure_fma_peak() {
  using Clock = std::chrono::steady_clock;
  const int threads = max_threads();
  double best = 0;
  for (int run = 0; run < 30; ++run) {
    std::vector<double> rates(static_cast<std::size_t>(threads));
    parallel_for(threads, [&](Index i, int /*worker*/) {
      std::vector<Real> sink(2 * kLanes, Real(0.5));
      const Clock::time_point start = Clock::now();
      const double done = multiply_add(sink.data());
      rates[i] = done / std::chrono::duration<double>(Clock::now() - start).count();
    });
    double sum = 0;
    for (const double rate : rates) sum += rate;
    best = std::max(best, sum);
  }
  return {1e-9 * best, 8 * kVectorBytes};
}

}  // namespace DRAGOMAN_NAMESPACE
