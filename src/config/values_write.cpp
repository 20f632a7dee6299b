// From the fields of a Config to YAML, and to words.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "config/values.h"

namespace dragoman {
namespace {

template <typename T>
constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

std::string write_list(const std::vector<std::string>& texts) {
  if (texts.size() == 1) return quote_yaml(texts[0]);
  std::vector<std::string> quoted(texts.size());
  std::transform(texts.begin(), texts.end(), quoted.begin(), quote_yaml);
  return "[" + join(quoted) + "]";
}

std::string bound(long double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15L) return std::to_string(static_cast<std::int64_t>(value));
  return write_number(static_cast<double>(value));
}

std::string describe_range(const Allowed& allowed, const std::string& what) {
  const bool low = std::isfinite(allowed.low);
  const bool high = std::isfinite(allowed.high);
  if (allowed.power_of_two) return "a power of two up to " + bound(allowed.high);
  if (low && high && !allowed.low_open && !allowed.high_open) {
    return what + " from " + bound(allowed.low) + " to " + bound(allowed.high);
  }
  std::string text = what;
  if (low) text += (allowed.low_open ? " above " : " of at least ") + bound(allowed.low);
  if (high)
    text += (low ? " and" : "") + std::string(allowed.high_open ? " below " : " at most ") + bound(allowed.high);
  return text;
}

}  // namespace

std::string write_value(const Key& key) {
  return std::visit(
      [&](auto field) -> std::string {
        using T = std::remove_pointer_t<decltype(field)>;
        if constexpr (std::is_same_v<T, NumberPair>) {
          return "[" + write_number(*field.first) + ", " + write_number(*field.second) + "]";
        } else if constexpr (std::is_same_v<T, bool>) {
          return *field ? "true" : "false";
        } else if constexpr (std::is_same_v<T, std::string>) {
          return quote_yaml(*field);
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          return write_list(*field);
        } else if constexpr (std::is_same_v<T, double>) {
          return write_number(*field);
        } else {
          return std::to_string(*field);
        }
      },
      key.field);
}

std::string describe_allowed(const Key& key) {
  const std::vector<std::string>& choices = key.allowed.choices;
  return std::visit(
      [&](auto field) -> std::string {
        using T = std::remove_pointer_t<decltype(field)>;
        if constexpr (std::is_same_v<T, NumberPair>) {
          return "a list of two numbers, each" + describe_range(key.allowed, "");
        } else if constexpr (std::is_same_v<T, bool>) {
          return "true or false";
        } else if constexpr (std::is_same_v<T, std::string>) {
          if (choices.size() == 1) return choices[0];
          return choices.empty() ? "text" : "one of: " + join(choices);
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          if (key.allowed.texts) return "a list of texts";
          return choices.empty() ? "a file or a list of files" : "a list of some of: " + join(choices);
        } else {
          return describe_range(key.allowed, is_integer<T> ? "an integer" : "a number");
        }
      },
      key.field);
}

std::string allowed_comment(const Key& key) {
  if (std::holds_alternative<std::string*>(key.field)) return join(key.allowed.choices, " | ");
  if (std::holds_alternative<bool*>(key.field)) return "";
  if (std::holds_alternative<std::vector<std::string>*>(key.field) && key.allowed.choices.empty()) return "";
  return describe_allowed(key);
}

std::string show(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::nothing) return "nothing";
  if (node.kind == YamlNode::Kind::list) return "a list of " + std::to_string(node.items.size());
  if (node.kind == YamlNode::Kind::map) return "a section";
  std::string text = node.text;
  constexpr std::size_t kLongest = 60;
  if (text.size() > kLongest) {
    std::size_t cut = kLongest;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;  // not inside a character
    text = text.substr(0, cut) + "...";
  }
  if (node.quoted || text.empty()) return quote_yaml(text);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text;
}

std::string quote_yaml(const std::string& text) {
  static const std::vector<std::string> kWords = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"};
  const auto bare = [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
           c == '/' || c == '-' || c == '+';
  };
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const char first = text.empty() ? ' ' : lower(text[0]);
  if ((first == '/' || first == '_' || (first >= 'a' && first <= 'z')) && std::all_of(text.begin(), text.end(), bare)) {
    std::string word(text.size(), ' ');
    std::transform(text.begin(), text.end(), word.begin(), lower);
    if (std::find(kWords.begin(), kWords.end(), word) == kWords.end()) return text;
  }
  constexpr char kHex[] = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string write_number(double value) {
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  (void)error;  // 64 characters hold every double
  std::string text(buffer, end);
  if (text.find('.') == std::string::npos) {
    const std::size_t exponent = std::min(text.find('e'), text.size());
    text.insert(exponent, ".0");
  }
  return text;
}

std::string join(const std::vector<std::string>& words, const std::string& separator) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) text += (i ? separator : "") + words[i];
  return text;
}

}  // namespace dragoman
