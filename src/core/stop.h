// A question that long work asks from time to time: shall it stop? Asked by any thread. Once true, it stays true.
#pragma once

#include <functional>

namespace dragoman {

using StopCheck = std::function<bool()>;  ///< may be empty: never

inline bool stopped(const StopCheck& stop) { return stop && stop(); }

}  // namespace dragoman
