#include "config/problems.h"

#include <algorithm>

namespace dragoman {

void Problems::add(const Place& place, const std::string& key, const std::string& message) {
  std::string text = place.origin;
  if (place.line) text += ":" + std::to_string(place.line);
  if (!key.empty()) text += ": " + key;
  found_.push_back({place, one_line(text + ": " + message)});
}

void Problems::add(const UserError& error) { found_.push_back({Place{"", 0}, error.what()}); }

std::vector<std::string> Problems::lines() const {
  std::vector<Problem> sorted = found_;
  // Overrides have no line: they come last.
  const auto rank = [](const Problem& p) { return p.place.line ? p.place.line : static_cast<std::size_t>(-1); };
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Problem& a, const Problem& b) { return rank(a) < rank(b); });
  std::vector<std::string> lines;
  for (const Problem& problem : sorted) lines.push_back(problem.text);
  return lines;
}

void Problems::throw_if_any() const {
  if (found_.empty()) return;
  std::string message;
  for (const std::string& line : lines()) message += (message.empty() ? "" : "\n") + line;
  throw UserError(message);
}

}  // namespace dragoman
