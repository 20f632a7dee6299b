#include "support/allocation_guard.h"

#include <atomic>
#include <cerrno>
#include <cstddef>

namespace {
std::atomic<std::int64_t> g_requests = 0;
}

// GCC and clang say in different ways that a sanitizer, which has its own malloc, is there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DRAGOMAN_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DRAGOMAN_SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(DRAGOMAN_SANITIZED)
#define DRAGOMAN_COUNTS_ALLOCATIONS 1

// glibc calls a program's own functions of these names in place of its own, which stay behind __libc_*.
extern "C" {
void* __libc_malloc(std::size_t);                 // NOLINT
void* __libc_calloc(std::size_t, std::size_t);    // NOLINT
void* __libc_realloc(void*, std::size_t);         // NOLINT
void* __libc_memalign(std::size_t, std::size_t);  // NOLINT

void* malloc(std::size_t bytes) noexcept {
  g_requests.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) noexcept {
  g_requests.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, std::size_t bytes) noexcept {
  g_requests.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(memory, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  g_requests.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept { return memalign(alignment, bytes); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
  *memory = memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
}
#endif

namespace dragoman::testing {

AllocationGuard::AllocationGuard() : before_(g_requests) {}

std::int64_t AllocationGuard::count() const { return g_requests - before_; }

bool AllocationGuard::works() {
#ifdef DRAGOMAN_COUNTS_ALLOCATIONS
  return true;
#else
  return false;
#endif
}

}  // namespace dragoman::testing
