// Does this CPU have what the program was compiled for?
#pragma once

#include <string>

namespace dragoman {

/// Empty when all is well, else a sentence that says what is missing and what to do.
std::string cpu_problem();

/// Empty when this build makes products of that precision with the CPU's own instructions, else a warning.
std::string emulation_warning(const std::string& key, const std::string& precision);

/// The widest vectors the program was compiled for.
std::string instruction_set();

}  // namespace dragoman
