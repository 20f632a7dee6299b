#include "app/usage_hint.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>

#include "config/key_table.h"
#include "config/suggest.h"
#include "config/values.h"
#include "core/error.h"

namespace dragoman {
namespace {

/// "max_updates" of "--max-updates=10".
std::string plain_name(const std::string& word) {
  std::string name = word.substr(0, word.find('='));
  name.erase(0, name.find_first_not_of('-'));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

/// The value that was meant for the first word: behind its =, or the next word.
std::string value_of(const std::vector<std::string>& words) {
  const std::size_t equals = words[0].find('=');
  if (equals != std::string::npos) return words[0].substr(equals + 1);
  return words.size() > 1 && !is_option(words[1]) ? words[1] : "VALUE";
}

/// Keys of that name; of a similar one only if there is none.
std::vector<std::string> keys_named(const std::string& name) {
  Config config;
  const KeyTable table(config);
  std::vector<std::string> exact, near;
  for (const Key& key : table.keys()) {
    if (leaf_of(key.path) == name) exact.push_back(key.path);
  }
  if (!exact.empty()) return exact;
  for (const std::string& path : suggest_keys(name, table)) {
    if (table.find(path) != nullptr) near.push_back(path);
  }
  return near;
}

std::string set_hint(const std::vector<std::string>& keys, const std::vector<std::string>& words) {
  std::vector<std::string> ways;
  constexpr std::size_t kMost = 3;
  for (std::size_t i = 0; i < std::min(kMost, keys.size()); ++i) {
    ways.push_back("--set " + keys[i] + "=" + value_of(words));
  }
  return "a key of the configuration is set by " + join(ways, " or ");
}

std::string option_hint(const CLI::App& command, const std::vector<std::string>& words) {
  const std::string name = plain_name(words[0]);
  const bool sets = command.get_option_no_throw("--set") != nullptr;
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& long_name : option->get_lnames()) names.push_back(plain_name(long_name));
  }
  const std::string near = nearest_word(name, names);
  const std::vector<std::string> keys = sets ? keys_named(name) : std::vector<std::string>();
  const bool exact = !keys.empty() && leaf_of(keys[0]) == name;
  if (!near.empty() && !exact) {
    std::string typed = near;
    std::replace(typed.begin(), typed.end(), '_', '-');
    return "did you mean --" + typed + "?";
  }
  return keys.empty() ? "" : set_hint(keys, words);
}

/// Where files belong that were given without an option.
std::string file_hint(const std::string& command) {
  static const std::map<std::string, std::string> kHints = {
      {"translate", "the text to translate is given by -i FILE"},
      {"score", "the texts are given by --source FILE and --target FILE"},
      {"evaluate", "the texts are given by --source FILE and --reference FILE, once for each reference"},
      {"metrics", "the translations are given by -i FILE"},
      {"generate", "the folder is given by -o FOLDER"},
      {"average", "the model directory to write is given by -o FOLDER"}};
  const auto hint = kHints.find(command);
  return hint == kHints.end() ? "" : hint->second;
}

/// About the words that no option or positional of the command has taken.
std::string unexpected_words(const CLI::App& command, const std::vector<std::string>& words) {
  const auto option = std::find_if(words.begin(), words.end(), is_option);
  const bool found = option != words.end();
  const std::vector<std::string> rest(found ? option : words.begin(), words.end());
  std::string hint;
  if (found) {
    hint = option_hint(command, rest);
  } else if (rest[0].find('=') != std::string::npos && command.get_option_no_throw("--set") != nullptr) {
    hint = "a key of the configuration is set by --set " + rest[0];
  } else {
    hint = file_hint(command.get_name());
  }
  return (found ? "unknown option " : "found one word too many: ") + rest[0] + (hint.empty() ? "" : "; " + hint);
}

}  // namespace

std::string unknown_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  const std::string near = nearest_word(word, names);
  return one_line("unknown command " + (word.empty() ? "\"\"" : word) +
                  (near.empty() ? "" : "; did you mean " + near + "?") + "; dragoman --help lists them");
}

std::string usage_problem(const CLI::App& app, const std::string& what) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  const std::string help = commands.empty() ? "--help" : commands[0]->get_name() + " --help";
  std::string problem;
  if (const std::vector<std::string> before = app.remaining(false); !before.empty()) {
    problem = "unknown option " + before[0] + "; options of a command stand behind it";
  } else if (commands.empty()) {
    problem = "expected a command, such as train or translate";
  } else {
    const CLI::App& command = *commands[0];
    const std::vector<std::string> words = command.remaining(false);
    const bool option = std::any_of(words.begin(), words.end(), is_option);
    const bool lacks = what.ends_with(" is required");  // a file without its option may be it
    const std::string hint = lacks && !words.empty() ? file_hint(command.get_name()) : "";
    problem = command.get_name() + ": " +
              (words.empty() || (lacks && !option) ? what + (hint.empty() ? "" : "; " + hint)
                                                   : unexpected_words(command, words));
  }
  return one_line(problem + "; see dragoman " + help);
}

}  // namespace dragoman
