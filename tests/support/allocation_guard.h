// Counts the memory requests of all threads, to show that a step needs none once it is warm.
#pragma once

#include <cstdint>

namespace dragoman::testing {

/// Requests (malloc and its kin, so operator new and libraries too) of any thread since it was made.
class AllocationGuard {
 public:
  AllocationGuard();
  [[nodiscard]] std::int64_t count() const;
  /// False where requests can't be counted: another C library than glibc, or a sanitizer that counts them itself.
  static bool works();

 private:
  std::int64_t before_;
};

}  // namespace dragoman::testing
