#include "config/checks.h"

#include <algorithm>
#include <utility>

#include "config/values.h"

namespace dragoman {

Checker::Checker(const Config& config, Place file, const std::map<std::string, Place>& places,
                 const std::set<std::string>& faulty, Problems& problems, Problems& warnings)
    : config_(config),
      table_(config_),
      default_table_(defaults_),
      file_(std::move(file)),
      places_(places),
      faulty_(faulty),
      problems_(problems),
      warnings_(warnings) {}

void Checker::require(bool good, const std::vector<std::string>& keys, const std::string& expected,
                      const std::string& hint) {
  if (!good && !any_faulty(keys)) report(problems_, keys, expected, hint);
}

void Checker::advise(bool good, const std::vector<std::string>& keys, const std::string& expected,
                     const std::string& hint) {
  if (!good && !any_faulty(keys)) report(warnings_, keys, expected, hint);
}

void Checker::reject(const std::string& key, const std::string& found, const std::string& expected,
                     const std::string& hint) {
  if (any_faulty({key})) return;
  problems_.add(place_of(key), key, "found " + found + ", expected " + expected + "; " + hint);
}

void Checker::only_when(bool has_effect, const std::string& key, const std::vector<std::string>& because,
                        const std::string& reason, const std::string& hint) {
  if (has_effect) return;
  const std::string normal = write_value(*default_table_.find(key));
  if (value(key) == normal) return;
  std::vector<std::string> keys = {key};
  keys.insert(keys.end(), because.begin(), because.end());
  if (any_faulty(keys)) return;
  report(problems_, keys, normal + " (the default), because " + reason, hint + ", or remove " + leaf_of(key));
}

std::string Checker::value(const std::string& key) const { return write_value(*table_.find(key)); }

Place Checker::place_of(const std::string& key) const {
  const auto place = places_.find(key);
  return place == places_.end() ? file_ : place->second;
}

bool Checker::any_faulty(const std::vector<std::string>& keys) const {
  return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) { return faulty_.count(key) > 0; });
}

void Checker::report(Problems& where, const std::vector<std::string>& keys, const std::string& expected,
                     const std::string& hint) {
  auto subject = std::find_if(keys.begin(), keys.end(), [&](const std::string& key) { return places_.count(key) > 0; });
  if (subject == keys.end()) subject = keys.begin();
  std::string message = "found " + value(*subject);
  bool first = true;
  for (const std::string& other : keys) {
    if (other == *subject) continue;
    message += (first ? " with " : " and ") + other + " " + value(other);
    first = false;
  }
  where.add(place_of(*subject), *subject, message + ", expected " + expected + "; " + hint);
}

}  // namespace dragoman
