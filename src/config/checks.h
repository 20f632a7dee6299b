// Checks that need more than one key: combinations that can't work, keys that would do nothing, and what hardly anyone
// wants.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/key_table.h"
#include "config/problems.h"

namespace dragoman {

/// What the checks write to. A check names the keys it reads; it stays silent when one of them already has a problem
/// of its own, because its value is then not what the user meant.
class Checker {
 public:
  /// `file`: the configuration as a whole. `places`: where each key was set (absent: default). `faulty`: keys that
  /// already have a problem.
  Checker(const Config& config, Place file, const std::map<std::string, Place>& places,
          const std::set<std::string>& faulty, Problems& problems, Problems& warnings);

  [[nodiscard]] const Config& config() const { return config_; }

  /// Unless `good`, a problem of the first of `keys` that was set: "found VALUE with OTHER VALUE, expected ...; hint".
  void require(bool good, const std::vector<std::string>& keys, const std::string& expected, const std::string& hint);

  /// The same as a warning: it works, but may not be what was meant.
  void advise(bool good, const std::vector<std::string>& keys, const std::string& expected, const std::string& hint);

  /// A problem of `key` with its own words for what was found.
  void reject(const std::string& key, const std::string& found, const std::string& expected, const std::string& hint);

  /// Unless `has_effect`, `key` must have its default: no option may do nothing. `because` are the keys that decide.
  void only_when(bool has_effect, const std::string& key, const std::vector<std::string>& because,
                 const std::string& reason, const std::string& hint);

  /// In the file or by an override, whatever to.
  [[nodiscard]] bool is_set(const std::string& key) const { return places_.contains(key); }

 private:
  [[nodiscard]] std::string value(const std::string& key) const;
  [[nodiscard]] bool any_faulty(const std::vector<std::string>& keys) const;
  [[nodiscard]] Place place_of(const std::string& key) const;
  void report(Problems& where, const std::vector<std::string>& keys, const std::string& expected,
              const std::string& hint);

  Config config_;
  Config defaults_;
  KeyTable table_;
  KeyTable default_table_;
  Place file_;
  const std::map<std::string, Place>& places_;
  const std::set<std::string>& faulty_;
  Problems& problems_;
  Problems& warnings_;
};

void check_data(Checker& checker);
void check_model(Checker& checker);
void check_training(Checker& checker);
void check_decoding(Checker& checker);

/// There is something to train on, and its files are there.
void check_text_files(Checker& checker);
/// Those of ready tokenizers, and of init_from, are there.
void check_start_files(Checker& checker);

}  // namespace dragoman
