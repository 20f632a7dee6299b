#include "app/cpu.h"

#include "kernels/gemm_bf16.h"

namespace dragoman {

std::string cpu_problem() {
#if defined(__x86_64__)
  const char* missing = nullptr;
#ifdef __AVX512F__
  if (!__builtin_cpu_supports("avx512f")) missing = "AVX-512";
#endif
#ifdef __AVX512BF16__
  if (!__builtin_cpu_supports("avx512bf16")) missing = "AVX-512 BF16";
#endif
#ifdef __AVX2__
  if (!__builtin_cpu_supports("avx2")) missing = "AVX2";
#endif
#ifdef __FMA__
  if (!__builtin_cpu_supports("fma")) missing = "FMA";
#endif
  if (missing != nullptr) {
    return std::string("this program was compiled for a CPU with ") + missing +
           ", which this one lacks; build it here with `cmake --preset release`, or with --preset portable for any "
           "CPU with AVX2";
  }
#endif
  return {};
}

std::string emulation_warning(const std::string& key, const std::string& precision) {
  if (precision != "bfloat16" || has_bf16_products()) return {};
  return key +
         ": bfloat16 is emulated with multiply-adds of float32, because this program was not compiled for a CPU with "
         "AVX-512 BF16: the numbers are rounded alike, but float32 is faster here";
}

std::string instruction_set() {
#if defined(__AVX512BF16__)
  return "AVX-512 with BF16";
#elif defined(__AVX512F__)
  return "AVX-512";
#elif defined(__AVX2__)
  return "AVX2";
#else
  return "baseline";
#endif
}

}  // namespace dragoman
