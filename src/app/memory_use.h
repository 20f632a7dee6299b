// What the process holds of memory, as the kernel counts it, in megabytes (10^6 bytes).
#pragma once

namespace dragoman {

/// Gives freed memory back to the system, and large blocks (from 1 MB) from now on as soon as they are freed. (glibc by
/// itself keeps blocks up to the largest ever freed, so that memory grows by what a short task once needed.)
void give_memory_back();

double current_megabytes();
double peak_megabytes();

/// What the process may still take: the system's available memory and swap, bounded by the limits of the control group
/// (as containers have) and of the address space (ulimit -v).
double available_megabytes();

}  // namespace dragoman
