// What a user may have meant who typed something that a command does not know.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace dragoman {

/// "unknown command trian; did you mean train? ..."
std::string unknown_command(const CLI::App& app, const std::string& word);

/// The message about the words that no option or positional of the command has taken.
std::string unexpected_words(const CLI::App& command, const std::vector<std::string>& words);

}  // namespace dragoman
