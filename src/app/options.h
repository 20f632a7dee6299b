// Options of the command line, read and checked as the keys of a configuration are: same types, ranges and messages.
#pragma once

#include <optional>
#include <string>

#include "config/key_table.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace dragoman {

/// What a key of the configuration may be, for an option that overrides it.
Allowed allowed_of(const std::string& key);

/// An option with one value: an int, an Index, a seed, a double or a string. Its help shows the default, unless the
/// value is optional. The value must live until the command line is read.
template <class T>
CLI::Option* add_value(CLI::App& command, const std::string& name, T& value, const Allowed& allowed,
                       const std::string& help);
template <class T>
CLI::Option* add_value(CLI::App& command, const std::string& name, std::optional<T>& value, const Allowed& allowed,
                       const std::string& help);

/// From now on an empty text is no value of any option or positional of the commands.
void refuse_empty_values(CLI::App& app);

}  // namespace dragoman
