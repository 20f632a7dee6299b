// The table of configuration keys: loading, checking, writing and documentation all read this one table.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "config/config.h"

namespace dragoman {

/// Two numbers written as one list, e.g. betas.
struct NumberPair {
  double* first;
  double* second;
};

/// Where the value of a key lives. The type of the pointer is the type of the key; a list of strings is a list of
/// choices when the key has choices, else a file or a list of files.
using Field = std::variant<bool*, int*, std::int64_t*, std::uint64_t*, double*, NumberPair, std::string*,
                           std::vector<std::string>*>;

/// What a key may be, beside its type.
struct Allowed {
  long double low = -std::numeric_limits<long double>::infinity();
  long double high = std::numeric_limits<long double>::infinity();
  bool low_open = false;   ///< low itself is not allowed
  bool high_open = false;  ///< high itself is not allowed
  bool power_of_two = false;
  bool texts = false;  ///< a list of strings is one of texts, not of files
  std::vector<std::string> choices;
};

Allowed anything();
Allowed at_least(long double low);
Allowed above(long double low);                      ///< > low
Allowed between(long double low, long double high);  ///< both included
Allowed inside(long double low, long double high);   ///< neither included
Allowed probability();                               ///< [0, 1)
Allowed power_of_two(long double high);
Allowed texts();
Allowed one_of(std::vector<std::string> choices);

struct Key {
  std::string path;  ///< "training.optimizer.learning_rate"
  Field field;
  Allowed allowed;
  std::string meaning;  ///< one sentence
};

struct Section {
  std::string path;  ///< "training.optimizer"
  std::string meaning;
};

/// All keys, bound to the fields of one Config, in the order of the documentation. Sections are named before their
/// keys. The Config must outlive the table.
class KeyTable {
 public:
  explicit KeyTable(Config& config);

  [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }
  [[nodiscard]] const std::vector<Section>& sections() const { return sections_; }

  [[nodiscard]] const Key* find(const std::string& path) const;
  [[nodiscard]] const Section* find_section(const std::string& path) const;

  /// Names of the keys and sections directly below a section ("" is the whole file).
  [[nodiscard]] std::vector<std::string> children(const std::string& section) const;

 private:
  void section(const std::string& path, const std::string& meaning) { sections_.push_back({path, meaning}); }
  void add(const std::string& path, Field field, Allowed allowed, const std::string& meaning) {
    keys_.push_back({path, field, std::move(allowed), meaning});
  }

  void add_general(Config& config);
  void add_data(DataOptions& data, TokenizerOptions& tokenizer);
  void add_model(ModelConfig& model);
  void add_transformer(const std::string& side, TransformerConfig& config);
  void add_training(TrainOptions& training);
  void add_optimization(OptimizerOptions& optimizer, ScheduleOptions& schedule);
  void add_validation(ValidationOptions& validation);
  void add_decoding(DecodeOptions& decoding);

  std::vector<Key> keys_;
  std::vector<Section> sections_;
};

/// "training.optimizer" of "training.optimizer.type"; "" of "name".
std::string parent_of(const std::string& path);

/// "type" of "training.optimizer.type".
std::string leaf_of(const std::string& path);

}  // namespace dragoman
