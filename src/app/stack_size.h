// The stacks of threads, whose size the user's environment sets.
#pragma once

#include <string>

namespace dragoman {

/// Empty when OMP_STACKSIZE and the limit of the shell leave stacks to work with, else what was found and expected. Too
/// small ones are no error in OpenMP: the program would crash.
std::string stack_problem();

}  // namespace dragoman
