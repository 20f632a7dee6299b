#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <type_traits>
#include <variant>

#include "config/checks.h"
#include "config/config.h"
#include "config/key_table.h"
#include "config/suggest.h"
#include "config/values.h"
#include "config/yaml_tree.h"
#include "core/error.h"
#include "data/tokenizer_kinds.h"
#include "io/model_place.h"

namespace dragoman {
namespace {

void copy_value(const Field& from, const Field& to) {
  std::visit(
      [&](auto target) {
        const auto source = std::get<decltype(target)>(from);
        if constexpr (std::is_same_v<decltype(target), NumberPair>) {
          *target.first = *source.first;
          *target.second = *source.second;
        } else {
          *target = *source;
        }
      },
      to);
}

/// Where keys that are not set come from: the defaults; the model that init_from names; or, of a training that goes on,
/// its own directory, which has what it took from there.
enum class Base { none, start, resumed };

/// Writes the values of YAML trees into a Config, remembers where each came from, and gathers the problems.
class Reader {
 public:
  explicit Reader(Config& config) : table_(config) {}

  void read_file(const std::string& text, const std::string& origin) {
    const YamlSource source{origin, true, ""};
    const YamlNode root = parse_yaml(text, source, problems_);
    if (root.kind == YamlNode::Kind::nothing) {
      throw UserError(origin, 0, "found an empty file, expected a configuration; see configs/reference.yaml");
    }
    if (root.kind != YamlNode::Kind::map) {
      throw UserError(origin, root.line, "found " + show(root) + ", expected lines of the form key: value");
    }
    file_ = {origin, 0};
    read_section(root, source, "");
  }

  /// "a.b=value"; the last override of a key counts.
  void read_override(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      problems_.add({"--set", 0}, "",
                    "found " + quote_yaml(text) + ", expected key.path=value, e.g. training.clip_norm=5");
      return;
    }
    const YamlSource source{"--set", false, text.substr(0, equals)};
    try {
      read_node(parse_yaml(text.substr(equals + 1), source, problems_), source, source.prefix, 0);
    } catch (const UserError& error) {  // no YAML; the file and other overrides may have problems, too
      problems_.add(error);
      distrust(source.prefix);
    }
  }

  /// What is not set becomes that of the model that the training starts from: keys of the model, cleaning, and the
  /// tokenizer as a whole, whose files are in `directory`; without one it is described as in `base`.
  void inherit(Config& config, Config base, const std::filesystem::path& directory) {
    const KeyTable from(base);
    for (std::size_t i = 0; i < table_.keys().size(); ++i) {
      if (inherits(table_.keys()[i].path)) copy_value(from.keys()[i].field, table_.keys()[i].field);
    }
    if (sets_tokenizer()) return;
    TokenizerOptions tokenizer = base.tokenizer;
    if (!directory.empty()) {
      tokenizer = TokenizerOptions();
      tokenizer.type = base.tokenizer.type;
      tokenizer.shared = base.tokenizer.shared;
      const std::string extension = tokenizer_kinds().at(tokenizer.type).extension();
      tokenizer.model_file = (directory / ((tokenizer.shared ? "tokenizer" : "source") + extension)).string();
      if (!tokenizer.shared) tokenizer.target_model_file = (directory / ("target" + extension)).string();
    }
    tokenizer.sampling = config.tokenizer.sampling;
    config.tokenizer = tokenizer;
  }

  /// Is there anything to inherit? Not for the config.yaml of a model directory, which has all keys.
  [[nodiscard]] bool inherits_any() const {
    return !sets_tokenizer() || std::any_of(table_.keys().begin(), table_.keys().end(),
                                            [this](const Key& key) { return inherits(key.path); });
  }

  [[nodiscard]] bool inherits(const std::string& path) const {
    return !places_.contains(path) && (path.starts_with("model.") || path == "data.normalization");
  }

  /// (Sampling is no part of a tokenizer, but of its use.)
  [[nodiscard]] bool sets_tokenizer() const {
    return std::any_of(places_.begin(), places_.end(), [](const auto& place) {
      return place.first.starts_with("tokenizer.") && place.first != "tokenizer.sampling.alpha";
    });
  }

  /// Returns the warnings.
  std::vector<std::string> check(const Config& config, Files files, Base base) {
    Problems warnings;
    Checker checker(config, file_, places_, faulty_, problems_, warnings);
    check_data(checker);
    check_model(checker);
    check_training(checker);
    check_decoding(checker);
    if (files == Files::must_exist) check_text_files(checker);
    if (files == Files::must_exist && base != Base::resumed) check_start_files(checker);
    problems_.throw_if_any();
    return warnings.lines();
  }

 private:
  void read_section(const YamlNode& map, const YamlSource& source, const std::string& path) {
    const std::string prefix = path.empty() ? "" : path + ".";
    for (std::size_t i = 0; i < map.items.size(); ++i) {
      const std::size_t line = source.has_lines ? map.lines[i] : 0;
      const std::string full = prefix + map.names[i];
      if (map.names[i].find('.') != std::string::npos) {
        const bool known = table_.find(full) || table_.find_section(full);
        const std::string hint =
            known ? "write one key a level, each indented below the other" : "no key has a point in its name";
        problems_.add({source.origin, line}, full, "unknown key; " + hint);
        if (!known) continue;
      }
      read_node(map.items[i], source, full, line);
    }
  }

  void read_node(const YamlNode& node, const YamlSource& source, const std::string& path, std::size_t line) {
    const Place place{source.origin, line};
    if (const Key* key = table_.find(path)) {
      const std::vector<std::string> found = read_value(*key, node);
      for (const std::string& problem : found) problems_.add(place, path, problem + choice_hint(*key, node, problem));
      const bool twice = source.has_lines && places_.contains(path);
      if (twice || !found.empty()) distrust(path);
      places_[path] = place;
      return;
    }
    if (table_.find_section(path)) {
      if (node.kind == YamlNode::Kind::map) return read_section(node, source, path);
      if (node.kind == YamlNode::Kind::nothing) return;  // all its keys are commented out
      problems_.add(place, path,
                    "found " + show(node) + ", expected a section with the keys " + join(table_.children(path)));
      distrust(path);
      return;
    }
    unknown(node, source, path, place);
  }

  /// A value that is none of this key's choices may be one of another key, best of the same section.
  [[nodiscard]] std::string choice_hint(const Key& key, const YamlNode& node, const std::string& problem) const {
    if (key.allowed.choices.empty() || node.kind != YamlNode::Kind::scalar) return "";
    if (problem.find("; ") != std::string::npos) return "";  // there is a hint
    std::vector<std::string> others;
    for (const Key& other : table_.keys()) {
      const std::vector<std::string>& choices = other.allowed.choices;
      if (std::find(choices.begin(), choices.end(), node.text) == choices.end()) continue;
      if (parent_of(other.path) == parent_of(key.path)) return "; did you mean " + other.path + " " + node.text + "?";
      others.push_back(other.path);
    }
    return others.size() == 1 ? "; did you mean " + others[0] + " " + node.text + "?" : "";
  }

  /// Where it is plain what was meant, the value is judged with all others, else no check judges what may be meant.
  void unknown(const YamlNode& node, const YamlSource& source, const std::string& path, const Place& place) {
    const std::vector<std::string> near = suggest_keys(path, table_);
    std::string hint = "see configs/reference.yaml";
    if (!near.empty()) hint = "did you mean " + join(near, " or ") + "?";
    problems_.add(place, path, "unknown key; " + hint);
    const bool section = !near.empty() && table_.find_section(near[0]) && node.kind == YamlNode::Kind::map;
    if (near.size() == 1 && (section || is_misspelling(path, near[0]))) {
      read_node(node, source, near[0], place.line);
    } else {
      for (const std::string& path_meant : near) distrust(path_meant);
    }
  }

  /// What the key or the keys of the section should be is not known.
  void distrust(const std::string& path) {
    for (const Key& key : table_.keys()) {
      if (key.path == path || key.path.starts_with(path + ".")) faulty_.insert(key.path);
    }
  }

  KeyTable table_;
  Place file_;
  std::map<std::string, Place> places_;
  std::set<std::string> faulty_;
  Problems problems_;
};

std::string read_text_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw UserError(path, 0, "there is no such file, expected a configuration (YAML)");
  }
  if (std::filesystem::is_directory(status)) {
    throw UserError(path, 0, "found a directory, expected a configuration (YAML)");
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw UserError(path, 0, "can't be read; check its permissions");
  // One byte more than allowed is enough to be refused, also from an endless pipe.
  std::string text(kMaxYamlBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

Config parse(const std::string& text, const std::string& origin, const std::vector<std::string>& overrides, Files files,
             Base base, const std::string& model_dir, std::vector<std::string>* warnings) {
  Config config;
  Reader reader(config);
  reader.read_file(text, origin);
  for (const std::string& item : overrides) reader.read_override(item);
  if (!model_dir.empty()) config.training.model_dir = model_dir;
  if (base != Base::none && !config.training.init_from.empty() && reader.inherits_any()) {
    const std::filesystem::path own = model_dir_of(config);
    const std::filesystem::path home = base == Base::resumed ? own : model_place(config.training.init_from).home;
    const std::string path = (home / "config.yaml").string();
    std::error_code ignored;  // check() says what is wrong with it
    if (std::filesystem::is_regular_file(path, ignored)) {
      const Config from = parse(read_text_file(path), path, {}, Files::may_be_missing, Base::none, "", nullptr);
      reader.inherit(config, from, base == Base::resumed ? std::filesystem::path() : home);
    }
  }
  std::vector<std::string> found = reader.check(config, files, base);
  if (warnings != nullptr) *warnings = std::move(found);
  return config;
}

}  // namespace

std::string model_dir_of(const Config& config) {
  const std::string& given = config.training.model_dir;
  return given.empty() ? (std::filesystem::path("models") / config.name).string() : given;
}

Config load_resumed_config(const std::string& path, const std::vector<std::string>& overrides,
                           const std::string& model_dir, std::vector<std::string>* warnings) {
  return parse(read_text_file(path), path, overrides, Files::must_exist, Base::resumed, model_dir, warnings);
}

Config load_config(const std::string& path, const std::vector<std::string>& overrides, Files files,
                   std::vector<std::string>* warnings) {
  return parse_config(read_text_file(path), path, overrides, files, warnings);
}

Config parse_config(const std::string& text, const std::string& origin, const std::vector<std::string>& overrides,
                    Files files, std::vector<std::string>* warnings) {
  return parse(text, origin, overrides, files, Base::start, "", warnings);
}

}  // namespace dragoman
