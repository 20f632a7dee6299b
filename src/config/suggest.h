// "Did you mean ...?" for keys and choices.
#pragma once

#include <string>
#include <vector>

#include "config/key_table.h"

namespace dragoman {

/// Number of insertions, deletions, replacements and swaps of neighbors that turn a into b.
std::size_t edit_distance(const std::string& a, const std::string& b);

/// The nearest of `words`, or "" when none is near.
std::string nearest_word(const std::string& word, const std::vector<std::string>& words);

/// Are these paths in one section, and at most one edit apart?
bool is_misspelling(const std::string& path, const std::string& known);

/// Paths of the keys (or sections) that an unknown path may have meant, the most likely first; at most three.
std::vector<std::string> suggest_keys(const std::string& path, const KeyTable& table);

}  // namespace dragoman
