// Kernels and their slow references, timed in one run:
//   build/release/kernels --benchmark_repetitions=3 --benchmark_report_aggregates_only=true
// GFLOP/s counts 2 m n k a product; its share of the peak is that of multiply-adds in registers. Single-threaded. The
// matrices of a product are others each time (256 MB in turn), as in training, where few are in a cache.
#include <benchmark/benchmark.h>
#ifdef BENCH_ONEDNN
#include <dnnl.h>
#endif

#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "core/rng.h"
#include "kernels/cross_entropy.h"
#include "kernels/fma_peak.h"
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

double peak() {
  static const double gflops = measure_fma_peak().gflops;
  return gflops;
}

/// Matrices of random numbers, others each time, over and over in the same memory.
class Matrices {
 public:
  Mat next(Index rows, Index cols) {
    if (used_ + rows * cols > static_cast<Index>(numbers_.size())) used_ = 0;
    Real* data = numbers_.data() + used_;
    used_ += rows * cols;
    return {data, rows, cols, cols};
  }

 private:
  std::vector<Real> numbers_ = random_numbers(Index{1} << 26);
  Index used_ = 0;
};

Matrices& matrices() {
  static Matrices all;
  return all;
}

using Product = void (*)(ConstMat a, ConstMat b, Mat c);

/// Forward: a [m, k] b [k, n]. nt: b is [n, k]. tn: a [m, k], b [m, n], c [k, n].
void time_product(benchmark::State& state, Product product, char kind) {
  const Index m = state.range(0), k = state.range(1), n = state.range(2);
  for (auto _ : state) {
    const Mat a = matrices().next(m, k);
    const Mat b = kind == 'n' ? matrices().next(k, n) : kind == 't' ? matrices().next(n, k) : matrices().next(m, n);
    const Mat c = kind == 'w' ? matrices().next(k, n) : matrices().next(m, n);
    product(a, b, c);
    benchmark::DoNotOptimize(c.data);
  }
  const double gflop = 2e-9 * static_cast<double>(m * k * n);
  state.counters["GFLOP/s"] = benchmark::Counter(gflop, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["of_peak"] = benchmark::Counter(gflop / peak(), benchmark::Counter::kIsIterationInvariantRate);
}

void shapes(benchmark::internal::Benchmark* b) {
  for (const Index m : {1, 16, 34, 68, 136}) b->Args({m, 256, 768});
  for (const Index width : {128, 256, 512}) b->Args({512, width, width});
  b->Args({512, 256, 1024})->Args({512, 1024, 256})->Args({252, 256, 8000})->Args({252, 8000, 256});
}

void product_nn(ConstMat a, ConstMat b, Mat c) { gemm(a, b, c, true); }
void product_nt(ConstMat a, ConstMat b, Mat c) { gemm_nt(a, b, c, true); }
void product_tn(ConstMat a, ConstMat b, Mat c) { gemm_tn(a, b, c); }
void product_reference(ConstMat a, ConstMat b, Mat c) { reference::gemm(a, b, c, true); }

BENCHMARK_CAPTURE(time_product, gemm, product_nn, 'n')->Apply(shapes);
BENCHMARK_CAPTURE(time_product, gemm_nt, product_nt, 't')->Apply(shapes);
BENCHMARK_CAPTURE(time_product, gemm_tn, product_tn, 'w')->Apply(shapes);
BENCHMARK_CAPTURE(time_product, gemm_reference, product_reference, 'n')->Args({34, 256, 768});

#ifdef BENCH_ONEDNN
void onednn(char ta, char tb, Index m, Index n, Index k, ConstMat a, ConstMat b, Mat c) {
  dnnl_sgemm(ta, tb, m, n, k, 1.0F, a.data, a.ld, b.data, b.ld, 1.0F, c.data, c.ld);
}
void onednn_nn(ConstMat a, ConstMat b, Mat c) { onednn('N', 'N', c.rows, c.cols, a.cols, a, b, c); }
void onednn_nt(ConstMat a, ConstMat b, Mat c) { onednn('N', 'T', c.rows, c.cols, a.cols, a, b, c); }
void onednn_tn(ConstMat a, ConstMat b, Mat c) { onednn('T', 'N', c.rows, c.cols, a.rows, a, b, c); }
BENCHMARK_CAPTURE(time_product, onednn, onednn_nn, 'n')->Apply(shapes);
BENCHMARK_CAPTURE(time_product, onednn_nt, onednn_nt, 't')->Apply(shapes);
BENCHMARK_CAPTURE(time_product, onednn_tn, onednn_tn, 'w')->Apply(shapes);
#endif

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
