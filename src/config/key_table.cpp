#include "config/key_table.h"

#include <algorithm>
#include <utility>

namespace dragoman {

Allowed anything() { return {}; }

Allowed at_least(long double low) {
  Allowed allowed;
  allowed.low = low;
  return allowed;
}

Allowed above(long double low) {
  Allowed allowed = at_least(low);
  allowed.low_open = true;
  return allowed;
}

Allowed between(long double low, long double high) {
  Allowed allowed = at_least(low);
  allowed.high = high;
  return allowed;
}

Allowed inside(long double low, long double high) {
  Allowed allowed = between(low, high);
  allowed.low_open = allowed.high_open = true;
  return allowed;
}

Allowed probability() {
  Allowed allowed = between(0, 1);
  allowed.high_open = true;
  return allowed;
}

Allowed power_of_two(long double high) {
  Allowed allowed = between(1, high);
  allowed.power_of_two = true;
  return allowed;
}

Allowed texts() {
  Allowed allowed;
  allowed.texts = true;
  return allowed;
}

Allowed one_of(std::vector<std::string> choices) {
  Allowed allowed;
  allowed.choices = std::move(choices);
  return allowed;
}

KeyTable::KeyTable(Config& config) {
  add_general(config);
  add_data(config.data, config.tokenizer);
  add_model(config.model);
  add_training(config.training);
  add_decoding(config.decoding);
}

const Key* KeyTable::find(const std::string& path) const {
  const auto it = std::find_if(keys_.begin(), keys_.end(), [&](const Key& key) { return key.path == path; });
  return it == keys_.end() ? nullptr : &*it;
}

const Section* KeyTable::find_section(const std::string& path) const {
  const auto it = std::find_if(sections_.begin(), sections_.end(), [&](const Section& s) { return s.path == path; });
  return it == sections_.end() ? nullptr : &*it;
}

std::vector<std::string> KeyTable::children(const std::string& section) const {
  const std::string prefix = section.empty() ? "" : section + ".";
  std::vector<std::string> names;
  for (const Key& key : keys_) {
    if (key.path.compare(0, prefix.size(), prefix) != 0) continue;
    const std::string name = key.path.substr(prefix.size(), key.path.find('.', prefix.size()) - prefix.size());
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string parent_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

std::string leaf_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? path : path.substr(dot + 1);
}

}  // namespace dragoman
