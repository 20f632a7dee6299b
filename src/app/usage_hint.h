// What a user may have meant who typed something that a command does not know.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace dragoman {

/// "unknown command trian; did you mean train? ..."
std::string unknown_command(const CLI::App& app, const std::string& word);

/// The message about a command line that CLI11 refused, in its words `what`: names words that no option or positional
/// has taken, and where they may belong.
std::string usage_problem(const CLI::App& app, const std::string& what);

}  // namespace dragoman
