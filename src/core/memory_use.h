// What the process holds of memory, as the kernel counts it, in megabytes (10^6 bytes).
#pragma once

#include <filesystem>

namespace dragoman {

/// Gives freed memory back to the system, and large blocks (from 1 MB) from now on as soon as they are freed. (glibc by
/// itself keeps blocks up to the largest ever freed, so that memory grows by what a short task once needed.)
void give_memory_back();

double current_megabytes();
double peak_megabytes();

/// What the process may still take: the system's available memory and swap, bounded by what its control groups (as
/// containers have) have left and by the limit of the address space (ulimit -v). Infinity when nothing is known. `root`
/// is where /proc and /sys are, for tests.
double available_megabytes(const std::filesystem::path& root = "/");

}  // namespace dragoman
