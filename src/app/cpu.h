// Does this CPU have what the program was compiled for?
#pragma once

#include <string>

namespace dragoman {

/// Empty when all is well, else a sentence that says what is missing and what to do.
std::string cpu_problem();

/// The widest vectors the program was compiled for.
std::string instruction_set();

}  // namespace dragoman
