// Kernels and their slow references, timed in one run:
//   build/release/kernels --benchmark_repetitions=3 --benchmark_report_aggregates_only=true
// GFLOP/s counts 2 m n k a product. Single-threaded.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "core/rng.h"
#include "kernels/cross_entropy.h"
#include "kernels/gemm.h"
#include "kernels/reference/gemm_reference.h"
#include "kernels/vector_math.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

std::vector<Real> random_numbers(Index n) {
  Rng rng(static_cast<std::uint64_t>(n));
  std::vector<Real> numbers(static_cast<std::size_t>(n));
  for (Real& x : numbers) x = static_cast<Real>(rng.normal());
  return numbers;
}

using Product = void (*)(const Real* a, const Real* b, Real* c, Index m, Index k, Index n);

void time_product(benchmark::State& state, Product product) {
  const Index m = state.range(0), k = state.range(1), n = state.range(2);
  const std::vector<Real> a = random_numbers(m * std::max(k, n));
  const std::vector<Real> b = random_numbers(std::max(k, m) * n);
  std::vector<Real> c(static_cast<std::size_t>(std::max(m, k) * n));
  for (auto _ : state) {
    product(a.data(), b.data(), c.data(), m, k, n);
    benchmark::DoNotOptimize(c.data());
  }
  state.counters["GFLOP/s"] =
      benchmark::Counter(2e-9 * static_cast<double>(m * k * n), benchmark::Counter::kIsIterationInvariantRate);
}

void shapes(benchmark::internal::Benchmark* b) {
  for (const Index m : {1, 16, 34, 68, 136}) b->Args({m, 256, 768});
  b->Args({128, 256, 8000})->Args({128, 8000, 256});
}

void product_nn(const Real* a, const Real* b, Real* c, Index m, Index k, Index n) {
  gemm({a, m, k, k}, {b, k, n, n}, {c, m, n, n});
}
void product_nt(const Real* a, const Real* b, Real* c, Index m, Index k, Index n) {
  gemm_nt({a, m, k, k}, {b, n, k, k}, {c, m, n, n});
}
void product_tn(const Real* a, const Real* b, Real* c, Index m, Index k, Index n) {
  gemm_tn({a, m, k, k}, {b, m, n, n}, {c, k, n, n});
}
void product_reference(const Real* a, const Real* b, Real* c, Index m, Index k, Index n) {
  reference::gemm({a, m, k, k}, {b, k, n, n}, {c, m, n, n}, false);
}

BENCHMARK_CAPTURE(time_product, gemm, product_nn)->Apply(shapes);
BENCHMARK_CAPTURE(time_product, gemm_nt, product_nt)->Apply(shapes);
BENCHMARK_CAPTURE(time_product, gemm_tn, product_tn)->Apply(shapes);
BENCHMARK_CAPTURE(time_product, gemm_reference, product_reference)->Args({34, 256, 768});

template <class F>
void time_function(benchmark::State& state, F f) {
  const std::vector<Real> x = random_numbers(4096);
  std::vector<Real> y(x.size());
  for (auto _ : state) {
    vector_loop(static_cast<Index>(x.size()),
                [&](Index i) { y[static_cast<std::size_t>(i)] = f(x[static_cast<std::size_t>(i)]); });
    benchmark::DoNotOptimize(y.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(x.size()));
}

BENCHMARK_CAPTURE(time_function, exp, [](Real x) { return exp_of(x); });
BENCHMARK_CAPTURE(time_function, exp_reference, [](Real x) { return std::exp(x); });
BENCHMARK_CAPTURE(time_function, tanh, [](Real x) { return tanh_of(x); });
BENCHMARK_CAPTURE(time_function, tanh_reference, [](Real x) { return std::tanh(x); });

void time_cross_entropy(benchmark::State& state) {
  const std::vector<Real> logits = random_numbers(8000);
  std::vector<Real> row;
  for (auto _ : state) {
    row = logits;
    benchmark::DoNotOptimize(cross_entropy(row.data(), 8000, 7, 0.1, true));
  }
}
BENCHMARK(time_cross_entropy);

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE

int main(int argc, char** argv) {
  dragoman::set_threads(1);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
