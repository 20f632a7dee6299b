// What `--version` and the first line of a training say about the program.
#pragma once

#include <string>

namespace dragoman {

/// "dragoman 0.1.0 (commit abc1234, GCC 12.2.0, AVX2)"
std::string version_text();

}  // namespace dragoman
