// Values of keys: from YAML to the field, from the field to YAML, and what is allowed, in words.
#pragma once

#include <string>
#include <vector>

#include "config/key_table.h"
#include "config/yaml_tree.h"

namespace dragoman {

/// Checks type and range and stores the value in the key's field. On a problem the field stays as it was, and
/// messages "found ..., expected ...; hint" come back, one for each part of a list that is wrong.
std::vector<std::string> read_value(const Key& key, const YamlNode& node);

/// The value as one line of YAML that reads back to exactly the same.
std::string write_value(const Key& key);

/// "an integer of at least 1", "one of: sgd, adam, adamw", ...
std::string describe_allowed(const Key& key);

/// The same for a comment behind the value; empty where the value speaks for itself.
std::string allowed_comment(const Key& key);

/// A node as a message shows it, shortened when long.
std::string show(const YamlNode& node);

/// A text as YAML: bare where nobody could misread it, else in double quotes.
std::string quote_yaml(const std::string& text);

/// The shortest text that reads back to the same number; always with a point, as in 1.0e-08.
std::string write_number(double value);

/// "a, b, c"
std::string join(const std::vector<std::string>& words, const std::string& separator = ", ");

}  // namespace dragoman
