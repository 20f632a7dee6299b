// The --threads option.
#pragma once

namespace dragoman {

inline constexpr const char* kThreadsHelp = "Threads (0: as many as there are processors to use)";

/// Sets the number of threads for everything that follows; 0: as many as there are processors to use.
int use_threads(int wanted);

}  // namespace dragoman
