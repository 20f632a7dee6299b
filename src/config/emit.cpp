// Writing configurations and their documentation from the table of keys.
#include <algorithm>
#include <functional>
#include <sstream>

#include "config/config.h"
#include "config/key_table.h"
#include "config/values.h"

namespace dragoman {
namespace {

constexpr std::size_t kWidth = 110;

std::string indent(std::size_t level) { return std::string(2 * level, ' '); }

/// All sections that contain a path, the outermost first.
std::vector<std::string> sections_of(const std::string& path) {
  std::vector<std::string> sections;
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
    sections.push_back(path.substr(0, dot));
  }
  return sections;
}

/// A comment wrapped at kWidth columns.
std::string comment(const std::string& text, std::size_t level) {
  const std::string start = indent(level) + "#";
  std::string out;
  std::string line = start;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (line.size() + 1 + word.size() > kWidth && line != start) {
      out += line + "\n";
      line = start;
    }
    line += " " + word;
  }
  return out + line + "\n";
}

/// Writes the keys that `wanted` accepts as nested YAML; with comments, every section and key gets its sentence.
std::string write_yaml(const KeyTable& table, const std::function<bool(const Key&)>& wanted, bool comments) {
  std::string out;
  std::vector<std::string> open;
  for (const Key& key : table.keys()) {
    if (!wanted(key)) continue;
    const std::vector<std::string> sections = sections_of(key.path);
    std::size_t same = 0;
    while (same < std::min(open.size(), sections.size()) && open[same] == sections[same]) ++same;
    for (std::size_t i = same; i < sections.size(); ++i) {
      if (comments) out += (i == 0 ? "\n" : "") + comment(table.find_section(sections[i])->meaning, i);
      out += indent(i) + leaf_of(sections[i]) + ":\n";
    }
    open = sections;
    if (comments) out += comment(key.meaning, sections.size());
    out += indent(sections.size()) + leaf_of(key.path) + ": " + write_value(key);
    const std::string allowed = comments ? allowed_comment(key) : "";
    out += (allowed.empty() ? "" : "  # " + allowed) + "\n";
  }
  return out;
}

/// Text of a cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

void write_table(std::ostringstream& out, const KeyTable& table, const std::string& section) {
  out << "| Key | Value | Default | Meaning |\n| --- | --- | --- | --- |\n";
  for (const Key& key : table.keys()) {
    if (parent_of(key.path) != section) continue;
    out << "| `" << leaf_of(key.path) << "` | " << cell(describe_allowed(key)) << " | `" << write_value(key) << "` | "
        << cell(key.meaning) << " |\n";
  }
}

}  // namespace

std::string emit_config(const Config& config) {
  Config copy = config;
  return write_yaml(
      KeyTable(copy), [](const Key&) { return true; }, false);
}

std::string emit_changes(const Config& config) {
  Config copy = config;
  Config defaults;
  const KeyTable normal(defaults);
  const auto changed = [&](const Key& key) {
    return key.path == "name" || write_value(key) != write_value(*normal.find(key.path));
  };
  return write_yaml(KeyTable(copy), changed, false);
}

std::string reference_yaml() {
  Config defaults;
  const std::string head =
      comment("Every key of a configuration with its default. A configuration of yours lists only what differs.", 0) +
      comment("Made by `dragoman config --reference` from src/config/keys.cpp; docs/configuration.md has the rules.",
              0);
  return head + "\n" +
         write_yaml(
             KeyTable(defaults), [](const Key&) { return true; }, true);
}

std::string configuration_markdown() {
  Config defaults;
  const KeyTable table(defaults);
  std::ostringstream out;
  out << "# Configuration\n\n"
         "<!-- Made by `dragoman config --markdown` from src/config/keys.cpp; change it there. -->\n\n"
         "A configuration is one YAML file that lists what differs from the defaults below. `configs/reference.yaml`\n"
         "holds every key with its default. The rules:\n\n"
         "- `--set training.clip_norm=5` overrides a key from the command line; the value is YAML, so lists and\n"
         "  sections work too: `--set 'training.optimizer={type: sgd, momentum: 0.9}'`. The last override of a key\n"
         "  counts.\n"
         "- An unknown key, a wrong type, a value out of range, a key given twice and a combination that can't work\n"
         "  are errors, all reported at once with file, line and key.\n"
         "- A key that would do nothing with the other settings must keep its default: `momentum` with `type: adam`\n"
         "  is an error, not ignored.\n"
         "- Integers are written with digits only (`1000`, not `1e3`); numbers are finite; `true` and `false` are the\n"
         "  only truth values; numbers and truth values are not quoted.\n"
         "- YAML anchors, aliases, tags and several documents in one file are not supported.\n"
         "- A section without keys keeps its defaults. Where a list of files is asked for, one file needs no list,\n"
         "  and `[]` means none.\n"
         "- `dragoman config FILE` checks a file and prints what differs from the defaults, with `--full` "
         "everything.\n";
  out << "\n## Top level\n\n";
  write_table(out, table, "");
  for (const Section& section : table.sections()) {
    const bool top = section.path.find('.') == std::string::npos;
    out << "\n" << (top ? "## `" : "### `") << section.path << "`\n\n" << capitalized(section.meaning) << "\n";
    const auto& keys = table.keys();
    if (std::any_of(keys.begin(), keys.end(), [&](const Key& key) { return parent_of(key.path) == section.path; })) {
      out << "\n";
      write_table(out, table, section.path);
    }
  }
  return out.str();
}

}  // namespace dragoman
