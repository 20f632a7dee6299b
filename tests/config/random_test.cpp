// Random configurations come back as they were written; damaged ones give a configuration or a full report.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "config/config.h"
#include "config/key_table.h"
#include "config/suggest.h"
#include "core/error.h"

namespace dragoman {
namespace {

using Texts = std::vector<std::string>;

/// Draws that depend on the seed alone (the distributions of <random> differ between libraries).
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : bits_(seed) {}

  std::uint64_t bits() { return bits_(); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }
  bool chance(double p) { return fraction() < p; }
  double fraction() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // in [0, 1)
  template <class T>
  const T& one_of(const std::vector<T>& items) {
    return items[below(items.size())];
  }

 private:
  std::mt19937_64 bits_;
};

std::string random_text(Draw& draw) {
  static const Texts kParts = {"a",  "B", "7", "1e3", ".", "-", "_", "/", " ",    "#",      ": ", "'", "\"",
                               "\\", "{", "]", ",",   "&", "*", "!", "%", "true", "\u00e9", "한", "~", "\u2028"};
  std::string text;
  for (std::size_t n = draw.below(8); n > 0; --n) text += draw.one_of(kParts);
  return text;
}

/// Any allowed number, the bounds and their neighbors more often.
double random_number(const Allowed& allowed, Draw& draw) {
  const double low = std::isfinite(allowed.low) ? static_cast<double>(allowed.low) : -1e9;
  const double high = std::isfinite(allowed.high) ? static_cast<double>(allowed.high) : 1e9;
  switch (draw.below(4)) {
    case 0:
      return allowed.low_open ? std::nextafter(low, high) : low;
    case 1:
      return allowed.high_open ? std::nextafter(high, low) : high;
    case 2:  // of any size
      return std::clamp(low + std::exp(-60 * draw.fraction()), std::nextafter(low, high), std::nextafter(high, low));
    default:
      return std::clamp(low + draw.fraction() * (high - low), std::nextafter(low, high), std::nextafter(high, low));
  }
}

template <class T>
T random_integer(const Allowed& allowed, Draw& draw) {
  const auto low = static_cast<long double>(std::numeric_limits<T>::min());
  const auto high = static_cast<long double>(std::numeric_limits<T>::max());
  const auto first = static_cast<T>(std::max(allowed.low, low));
  const auto last = static_cast<T>(std::min(allowed.high, high));
  if (allowed.power_of_two) {
    T power = 1;
    while (power < last && draw.chance(0.7)) power *= 2;
    return power;
  }
  switch (draw.below(5)) {
    case 0:
      return first;
    case 1:
      return last;
    case 2:
      return first +
             static_cast<T>(static_cast<std::uint64_t>(draw.bits()) % (static_cast<std::uint64_t>(last - first)));
    default:  // small ones work together more often
      return first + static_cast<T>(std::min<std::uint64_t>(draw.below(200), static_cast<std::uint64_t>(last - first)));
  }
}

void set_random(const Key& key, Draw& draw) {
  const Texts& choices = key.allowed.choices;
  std::visit(
      [&](auto field) {
        using T = std::remove_pointer_t<decltype(field)>;
        if constexpr (std::is_same_v<T, NumberPair>) {
          *field.first = random_number(key.allowed, draw);
          *field.second = random_number(key.allowed, draw);
        } else if constexpr (std::is_same_v<T, bool>) {
          *field = draw.chance(0.5);
        } else if constexpr (std::is_same_v<T, std::string>) {
          *field = choices.empty() ? random_text(draw) : draw.one_of(choices);
        } else if constexpr (std::is_same_v<T, Texts>) {
          field->clear();
          for (const std::string& choice : choices) {
            if (draw.chance(0.5))
              field->insert(field->begin() + static_cast<std::ptrdiff_t>(draw.below(field->size() + 1)), choice);
          }
          if (!choices.empty() && field->empty()) *field = {draw.one_of(choices)};
          if (choices.empty()) {
            for (std::size_t n = draw.below(3); n > 0; --n) field->push_back("f" + random_text(draw));
          }
        } else if constexpr (std::is_same_v<T, double>) {
          *field = random_number(key.allowed, draw);
        } else {
          *field = random_integer<T>(key.allowed, draw);
        }
      },
      key.field);
}

/// The first key whose value is not the same, or "".
std::string first_difference(Config a, Config b) {
  const KeyTable one(a), two(b);
  for (std::size_t i = 0; i < one.keys().size(); ++i) {
    const bool same = std::visit(
        [](auto x, auto y) {
          if constexpr (!std::is_same_v<decltype(x), decltype(y)>) {
            return false;
          } else if constexpr (std::is_same_v<decltype(x), NumberPair>) {
            return *x.first == *y.first && *x.second == *y.second;
          } else {
            return *x == *y;
          }
        },
        one.keys()[i].field, two.keys()[i].field);
    if (!same) return one.keys()[i].path;
  }
  return "";
}

/// The message of the UserError, or "".
std::string problem(const std::string& text) {
  try {
    parse_config(text, "my.yaml");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

/// Some keys get random values, neighbors together; what the checks refuse is undone. So a walk over valid ones.
void random_step(Config& config, Draw& draw) {
  Config changed = config;
  const KeyTable table(changed);
  const std::size_t first = draw.below(table.keys().size());
  for (std::size_t i = first; i < std::min(first + 1 + draw.below(3), table.keys().size()); ++i) {
    set_random(table.keys()[i], draw);
  }
  if (problem(emit_config(changed)).empty()) config = changed;
}

TEST(ConfigRandom, ValidOnesComeBackAsTheyWereWritten) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draw draw(seed);
    Config config;
    for (int step = 0; step < 40; ++step) {
      random_step(config, draw);
      for (const std::string& text : {emit_config(config), emit_changes(config)}) {
        const std::string refused = problem(text);
        ASSERT_EQ(refused, "") << text;
        ASSERT_EQ(first_difference(parse_config(text, "emitted"), config), "") << text;
      }
    }
    EXPECT_NE(first_difference(config, Config{}), "");
  }
}

Texts lines_of(const std::string& text) {
  Texts lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string joined(const Texts& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// One change to a file as a tired person or a bad editor makes it.
void damage(Texts& lines, Draw& draw) {
  static const Texts kValues = {"yes", "1e3", "-1",   "0",       "nan", "[a, b]", "{}", "{a: 1}",     "[]", "\"x",
                                "'",   "*a",  "&a x", "!!int 3", "",    "5 5",    "~",  "@",          "\t", "a: b",
                                "[",   "}",   "#",    "1,5",     "|",   "-",      "?",  "transformer"};
  if (lines.empty()) lines.emplace_back();
  const std::size_t at = draw.below(lines.size());
  std::string& line = lines[at];
  const std::size_t colon = std::min(line.find(':'), line.size());
  const std::size_t start = std::min(line.find_first_not_of(' '), colon);
  switch (draw.below(9)) {
    case 0:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      std::swap(line, lines[draw.below(lines.size())]);
      break;
    case 2: {  // the value of another line
      const std::string& other = lines[draw.below(lines.size())];
      line = line.substr(0, colon) + other.substr(std::min(other.find(':'), other.size()));
      break;
    }
    case 3:
      line = line.substr(0, colon) + ": " + draw.one_of(kValues);
      break;
    case 4:
      line = (draw.chance(0.5) ? " " : "\t") + line;
      break;
    case 5:
      if (!line.empty()) line.erase(draw.below(line.size()), 1);
      break;
    case 6:
      line.insert(draw.below(line.size() + 1), 1, static_cast<char>('a' + draw.below(26)));
      break;
    case 7:
      if (colon > start + 1) std::swap(line[start], line[start + 1]);
      break;
    default:
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(draw.below(lines.size() + 1)), std::string(line));
      break;
  }
}

TEST(ConfigRandom, DamagedOnesGiveAConfigurationOrPlaceAndKeyOfEveryProblem) {
  // Where the file is no YAML or uses what is not supported, the line is all there is to say.
  const std::regex kOfAKey(R"(my\.yaml:(\d+): \S.*: (found |unknown key).*)");
  const std::regex kOfALine(R"(my\.yaml:(\d+): (not valid YAML|found|anchors|aliases|tags|a |nested).*)");
  int accepted = 0, several = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    Draw draw(seed);
    Config config;
    for (int step = 0; step < 4; ++step) random_step(config, draw);
    Texts lines = lines_of(draw.chance(0.5) ? emit_config(config) : emit_changes(config));
    for (std::size_t n = 1 + draw.below(5); n > 0; --n) damage(lines, draw);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + joined(lines));
    const std::string message = problem(joined(lines));
    accepted += message.empty();
    const Texts found = lines_of(message);
    several += found.size() > 1;
    for (const std::string& line : found) {
      std::smatch match;
      const bool whole = found.size() == 1 && line ==
                                                  "my.yaml: found an empty file, expected a configuration; see "
                                                  "configs/reference.yaml";
      if (whole) continue;
      ASSERT_TRUE(std::regex_match(line, match, kOfAKey) ||
                  (found.size() == 1 && std::regex_match(line, match, kOfALine)))
          << line;
      const auto number = std::stoul(match[1]);
      ASSERT_TRUE(number >= 1 && number <= lines.size() + 1) << line;
    }
  }
  EXPECT_GT(accepted, 20);
  EXPECT_GT(several, 50);
}

TEST(ConfigRandom, AMisspelledKeyIsRecognized) {
  Config defaults;
  const KeyTable table(defaults);
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Draw draw(seed);
    const std::string& path = draw.one_of(table.keys()).path;
    std::string leaf = leaf_of(path);
    const std::size_t at = draw.below(leaf.size());
    switch (draw.below(4)) {
      case 0:
        leaf.erase(at, 1);
        break;
      case 1:
        leaf.insert(at, 1, static_cast<char>('a' + draw.below(26)));
        break;
      case 2:
        leaf[at] = static_cast<char>('a' + draw.below(26));
        break;
      default:
        std::swap(leaf[at], leaf[(at + 1) % leaf.size()]);
    }
    const std::string wrong = path.substr(0, path.size() - leaf_of(path).size()) + leaf;
    if (leaf.empty() || table.find(wrong) != nullptr || edit_distance(leaf, leaf_of(path)) > 1) continue;
    const Texts near = suggest_keys(wrong, table);
    EXPECT_NE(std::find(near.begin(), near.end(), path), near.end())
        << "seed " << seed << ": " << wrong << " for " << path << (near.empty() ? "" : ", found " + near[0]);
  }
}

}  // namespace
}  // namespace dragoman
