// YAML text to a small tree that remembers lines. Everything a configuration has no use for (anchors, aliases, tags,
// several documents, deep nesting, duplicate keys) is refused here, so that the rest of the folder never sees it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/problems.h"

namespace dragoman {

struct YamlNode {
  enum class Kind { nothing, scalar, list, map };

  Kind kind = Kind::nothing;
  std::size_t line = 0;            ///< counted from 1
  std::string text;                ///< of a scalar
  bool quoted = false;             ///< "5" is text, 5 is a number
  std::vector<std::string> names;  ///< of a map, parallel to `items`
  std::vector<std::size_t> lines;  ///< of the names
  std::vector<YamlNode> items;     ///< of a list or map
};

inline constexpr std::size_t kMaxYamlBytes = 1 << 20;
inline constexpr std::size_t kMaxYamlDepth = 16;
inline constexpr std::size_t kMaxYamlKeys = 1000;  ///< of one map

/// Where a text comes from: a file, or an override whose value is given to the key `prefix` and has no lines.
struct YamlSource {
  std::string origin;  ///< stands for the file name in messages
  bool has_lines = true;
  std::string prefix;  ///< dotted path of the key that the whole text is the value of, empty for a file
};

/// Parses one document. Throws UserError when the text is no YAML or uses what is refused; duplicate keys only go to
/// `problems` and stay in the tree, so that others are found too.
YamlNode parse_yaml(const std::string& text, const YamlSource& source, Problems& problems);

}  // namespace dragoman
