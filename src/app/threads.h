// The --threads option.
#pragma once

namespace dragoman {

/// 0: all cores. Sets the number of threads for everything that follows; UserError when negative or absurd.
int use_threads(int wanted);

}  // namespace dragoman
