#include "app/cpu.h"

namespace dragoman {

std::string cpu_problem() {
#if defined(__x86_64__)
  const char* missing = nullptr;
#ifdef __AVX512F__
  if (!__builtin_cpu_supports("avx512f")) missing = "AVX-512";
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

std::string instruction_set() {
#if defined(__AVX512F__)
  return "AVX-512";
#elif defined(__AVX2__)
  return "AVX2";
#else
  return "baseline";
#endif
}

}  // namespace dragoman
