#include "app/options.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <type_traits>

#include "config/values.h"
#include "core/error.h"

namespace dragoman {
namespace {

/// The text as a value of the key, whose path stands for the option; UserError: it is none.
void read_option(const Key& key, const std::string& text) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = text;
  const std::vector<std::string> problems = read_value(key, node);
  if (!problems.empty()) throw UserError(one_line(key.path + ": " + problems[0]));
}

template <class T>
std::string default_text(T& value) {
  if constexpr (std::is_same_v<T, std::string>) return value;
  return write_value({"", &value, {}, ""});
}

template <class T>
constexpr const char* type_name() {
  if (std::is_same_v<T, std::string>) return "TEXT";
  if (std::is_same_v<T, double>) return "FLOAT";
  return std::is_unsigned_v<T> ? "UINT" : "INT";
}

}  // namespace

Allowed allowed_of(const std::string& key) {
  Config config;
  const KeyTable table(config);
  const Key* found = table.find(key);
  CHECK(found != nullptr, "allowed_of: there is no key " + key);
  return found->allowed;
}

template <class T>
CLI::Option* add_value(CLI::App& command, const std::string& name, T& value, const Allowed& allowed,
                       const std::string& help) {
  const auto read = [&value, name, allowed](const std::string& text) {
    read_option({name, &value, allowed, ""}, text);
  };
  return command.add_option_function<std::string>(name, read, help)
      ->type_name(type_name<T>())
      ->default_str(default_text(value));
}

template <class T>
CLI::Option* add_value(CLI::App& command, const std::string& name, std::optional<T>& value, const Allowed& allowed,
                       const std::string& help) {
  const auto read = [&value, name, allowed](const std::string& text) {
    T parsed{};
    read_option({name, &parsed, allowed, ""}, text);
    value = parsed;
  };
  return command.add_option_function<std::string>(name, read, help)->type_name(type_name<T>());
}

#define DRAGOMAN_OPTION(T)                                                                                \
  template CLI::Option* add_value(CLI::App&, const std::string&, T&, const Allowed&, const std::string&); \
  template CLI::Option* add_value(CLI::App&, const std::string&, std::optional<T>&, const Allowed&, const std::string&)
DRAGOMAN_OPTION(int);
DRAGOMAN_OPTION(std::int64_t);
DRAGOMAN_OPTION(std::uint64_t);
DRAGOMAN_OPTION(double);
DRAGOMAN_OPTION(std::string);
#undef DRAGOMAN_OPTION

void refuse_empty_values(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    for (CLI::Option* option : command->get_options()) {
      if (option->get_items_expected_max() == 0) continue;  // a flag
      option->check([name = option->get_name()](const std::string& text) {
        if (text.empty()) throw UserError(name + ": found \"\", expected a value");
        return std::string();
      });
    }
  }
}

}  // namespace dragoman
