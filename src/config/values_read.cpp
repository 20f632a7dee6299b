// From YAML to the fields of a Config.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include "config/suggest.h"
#include "config/values.h"

namespace dragoman {
namespace {

using Kind = YamlNode::Kind;
using Fault = std::optional<std::string>;
using Faults = std::vector<std::string>;

/// The problem of one value: what is there, what should be, and perhaps what to do.
std::string fault(const std::string& found, const std::string& expected, const std::string& hint = "") {
  return "found " + found + ", expected " + expected + (hint.empty() ? "" : "; " + hint);
}

template <typename T>
constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// Reads all of `text` as a T; from_chars alone would stop at the first odd character and does not know '+'.
template <typename T>
std::errc parse_all(const std::string& text, T& value) {
  const char* first = text.data();
  const char* last = first + text.size();
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') ++first;
  const auto [end, error] = std::from_chars(first, last, value);
  if (error == std::errc::result_out_of_range) return error;
  return error == std::errc() && end == last ? std::errc() : std::errc::invalid_argument;
}

template <typename T>
bool in_range(T value, const Allowed& allowed) {
  const auto number = static_cast<long double>(value);
  if (number < allowed.low || (allowed.low_open && number == allowed.low)) return false;
  if (number > allowed.high || (allowed.high_open && number == allowed.high)) return false;
  if constexpr (is_integer<T>) {
    if (allowed.power_of_two && (value < 1 || (value & (value - 1)) != 0)) return false;
  }
  return true;
}

/// Hint for a text that is not written as an integer but is one, such as 1e3 or 5.0.
std::string integer_hint(const std::string& text, const Allowed& allowed) {
  double number = 0;
  if (parse_all(text, number) == std::errc() && std::nearbyint(number) == number && std::abs(number) < 1e15 &&
      in_range(number, allowed)) {
    return "write " + std::to_string(static_cast<std::int64_t>(number));
  }
  return "";
}

/// One number of type T out of a node, or the fault.
template <typename T>
Fault read_number(const Key& key, const YamlNode& node, T& value) {
  const std::string expected = describe_allowed(key);
  if (node.kind != Kind::scalar) return fault(show(node), expected);
  T number{};
  const std::errc error = parse_all(node.text, number);
  if (node.quoted) return fault("the text " + show(node), expected, error == std::errc() ? "remove the quotes" : "");
  if (error == std::errc::invalid_argument) {
    return fault(show(node), expected, is_integer<T> ? integer_hint(node.text, key.allowed) : "");
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (error == std::errc() && !std::isfinite(number)) return fault(show(node), expected);
  }
  if (error != std::errc() || !in_range(number, key.allowed)) return fault(show(node), expected);
  value = number;
  return {};
}

Fault read_text(const Key& key, const YamlNode& node, std::string& value) {
  const std::string expected = describe_allowed(key);
  if (node.kind == Kind::nothing) return fault("nothing", expected, "remove the key for its default, or write \"\"");
  if (node.kind != Kind::scalar) return fault(show(node), expected);
  const std::vector<std::string>& choices = key.allowed.choices;
  if (!choices.empty() && std::find(choices.begin(), choices.end(), node.text) == choices.end()) {
    const std::string near = nearest_word(node.text, choices);
    return fault(show(node), expected, near.empty() ? "" : "did you mean " + near + "?");
  }
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(node.text.begin(), node.text.end(), control)) {
    return fault(show(node), expected + " without control characters");
  }
  value = node.text;
  return {};
}

Faults read_list(const Key& key, const YamlNode& node, std::vector<std::string>& value) {
  const bool choices = !key.allowed.choices.empty();
  if (node.kind == Kind::map || node.kind == Kind::nothing) return {fault(show(node), describe_allowed(key))};
  if (node.kind == Kind::list && node.items.empty() && choices) return {fault("[]", describe_allowed(key))};
  std::vector<std::string> texts;
  const auto add = [&](const YamlNode& item) -> Fault {
    std::string text;
    if (Fault problem = read_text(key, item, text)) return problem;
    if (text.empty()) return fault("an empty name", describe_allowed(key), "write [] for none");
    if ((choices || key.allowed.texts) && std::find(texts.begin(), texts.end(), text) != texts.end()) {
      return fault(text + " twice", describe_allowed(key), "name it once");
    }
    texts.push_back(text);
    return {};
  };
  Faults faults;
  for (const YamlNode& item : node.kind == Kind::scalar ? std::vector<YamlNode>{node} : node.items) {
    if (Fault problem = add(item)) faults.push_back(*problem);
  }
  if (faults.empty()) value = texts;
  return faults;
}

Fault read_bool(const Key& key, const YamlNode& node, bool& value) {
  if (node.kind == Kind::scalar && !node.quoted) {
    if (node.text == "true" || node.text == "false") {
      value = node.text == "true";
      return {};
    }
    for (const char* word : {"yes", "on", "True", "TRUE", "1"}) {
      if (node.text == word) return fault(node.text, describe_allowed(key), "write true");
    }
    for (const char* word : {"no", "off", "False", "FALSE", "0"}) {
      if (node.text == word) return fault(node.text, describe_allowed(key), "write false");
    }
  }
  return fault(show(node), describe_allowed(key));
}

Faults read_pair(const Key& key, const YamlNode& node, NumberPair pair) {
  if (node.kind != Kind::list || node.items.size() != 2) return {fault(show(node), describe_allowed(key))};
  Faults faults;
  double numbers[2] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    if (Fault problem = read_number(key, node.items[i], numbers[i])) faults.push_back(*problem);
  }
  if (!faults.empty()) return faults;
  *pair.first = numbers[0];
  *pair.second = numbers[1];
  return {};
}

}  // namespace

std::vector<std::string> read_value(const Key& key, const YamlNode& node) {
  const auto at_most_one = [](const Fault& problem) { return problem ? Faults{*problem} : Faults{}; };
  return std::visit(
      [&](auto field) -> Faults {
        using T = std::remove_pointer_t<decltype(field)>;
        if constexpr (std::is_same_v<T, NumberPair>) {
          return read_pair(key, node, field);
        } else if constexpr (std::is_same_v<T, bool>) {
          return at_most_one(read_bool(key, node, *field));
        } else if constexpr (std::is_same_v<T, std::string>) {
          return at_most_one(read_text(key, node, *field));
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          return read_list(key, node, *field);
        } else {
          return at_most_one(read_number(key, node, *field));
        }
      },
      key.field);
}

}  // namespace dragoman
