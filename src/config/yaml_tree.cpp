#include "config/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>

#include "core/error.h"
#include "core/utf8.h"

namespace dragoman {
namespace {

[[noreturn]] void fail(const YamlSource& source, std::size_t line, const std::string& message) {
  const std::string key = source.prefix.empty() ? "" : source.prefix + ": ";
  throw UserError(source.origin, source.has_lines ? line : 0, key + message);
}

/// Builds the tree from the events of yaml-cpp's parser. Throws at the first thing that is refused, which also stops
/// the parser, so that nested or aliased input never grows.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(YamlSource source, Problems& problems) : source_(std::move(source)), problems_(problems) {}

  YamlNode take() { return std::move(root_); }

  /// Where the last quoted scalar began; only that one can lack its second quote.
  [[nodiscard]] const YAML::Mark& last_quote() const { return last_quote_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++) refuse(mark, "a second document (---) starts here; a configuration is one document");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    leaf(mark, {YamlNode::Kind::nothing, "", false}, "?", anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "aliases (*name) are not supported; write the value again");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (tag == "!") last_quote_ = mark;
    leaf(mark, {YamlNode::Kind::scalar, value, tag == "!"}, tag, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, YamlNode::Kind::list, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, YamlNode::Kind::map, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Leaf {
    YamlNode::Kind kind;
    std::string text;
    bool quoted;
  };
  struct Open {
    YamlNode node;
    bool has_name = false;  ///< in a map: the name of the next value was read
    std::string name;
    std::size_t name_line = 0;
  };

  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& message) const {
    fail(source_, line_of(mark), message);
  }

  static std::size_t line_of(const YAML::Mark& mark) { return static_cast<std::size_t>(std::max(mark.line, 0)) + 1; }

  void check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) const {
    if (anchor) refuse(mark, "anchors (&name) are not supported; write the value where it is needed");
    if (!tag.empty() && tag != "?" && tag != "!") refuse(mark, "tags (" + tag + ") are not supported; remove it");
  }

  void leaf(const YAML::Mark& mark, Leaf leaf, const std::string& tag, YAML::anchor_t anchor) {
    check(mark, tag, anchor);
    if (expects_name()) {
      if (leaf.kind != YamlNode::Kind::scalar) refuse(mark, "a key is missing before ':'");
      stack_.back().has_name = true;
      stack_.back().name = leaf.text;
      stack_.back().name_line = line_of(mark);
      return;
    }
    YamlNode node;
    node.kind = leaf.kind;
    node.line = line_of(mark);
    node.text = std::move(leaf.text);
    node.quoted = leaf.quoted;
    attach(std::move(node));
  }

  void open(const YAML::Mark& mark, YamlNode::Kind kind, const std::string& tag, YAML::anchor_t anchor) {
    check(mark, tag, anchor);
    if (expects_name()) refuse(mark, "a list or map can't be a key; is a bracket not closed?");
    if (stack_.size() >= kMaxYamlDepth) {
      refuse(mark, "nested deeper than " + std::to_string(kMaxYamlDepth) + " levels; no key needs that");
    }
    Open entry;
    entry.node.kind = kind;
    entry.node.line = line_of(mark);
    stack_.push_back(std::move(entry));
  }

  void close() {
    YamlNode node = std::move(stack_.back().node);
    stack_.pop_back();
    attach(std::move(node));
  }

  void attach(YamlNode node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = stack_.back();
    if (parent.node.kind == YamlNode::Kind::map) {
      parent.has_name = false;
      const std::vector<std::string>& names = parent.node.names;
      if (names.size() >= kMaxYamlKeys) {
        fail(source_, parent.name_line, "found more than " + std::to_string(kMaxYamlKeys) + " keys in one section");
      }
      const auto same = std::find(names.begin(), names.end(), parent.name);
      if (same != names.end()) {
        const std::size_t first = parent.node.lines[static_cast<std::size_t>(same - names.begin())];
        const std::string where = source_.has_lines ? ", first on line " + std::to_string(first) : "";
        problems_.add({source_.origin, source_.has_lines ? parent.name_line : 0}, path_of(parent.name),
                      "found a second time" + where + "; remove one of them");
      }
      parent.node.names.push_back(parent.name);
      parent.node.lines.push_back(parent.name_line);
    }
    parent.node.items.push_back(std::move(node));
  }

  [[nodiscard]] bool expects_name() const {
    return !stack_.empty() && stack_.back().node.kind == YamlNode::Kind::map && !stack_.back().has_name;
  }

  /// The dotted path of `name` inside the maps that are open; the innermost has just given its name up.
  [[nodiscard]] std::string path_of(const std::string& name) const {
    std::string path = source_.prefix.empty() ? "" : source_.prefix + ".";
    for (std::size_t i = 0; i + 1 < stack_.size(); ++i) {
      if (stack_[i].node.kind == YamlNode::Kind::map) path += stack_[i].name + ".";
    }
    return path + name;
  }

  YamlSource source_;
  Problems& problems_;
  YamlNode root_;
  std::vector<Open> stack_;
  YAML::Mark last_quote_ = YAML::Mark::null_mark();
  int documents_ = 0;
};

void check_bytes(const std::string& text, const YamlSource& source) {
  if (text.size() > kMaxYamlBytes) {
    fail(source, 0,
         "found " + std::to_string(text.size()) + " bytes, expected at most " + std::to_string(kMaxYamlBytes) +
             "; is this a configuration?");
  }
  const auto line_at = [&](std::size_t offset) {
    return 1 +
           static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
  };
  const std::size_t bad = first_invalid(text);
  if (bad != std::string::npos) {
    fail(source, line_at(bad), "found a byte that is not UTF-8, expected text; save the file as UTF-8");
  }
  const auto control = [](unsigned char c) { return c < 0x20 && c != '\n' && c != '\r' && c != '\t'; };
  const auto it = std::find_if(text.begin(), text.end(), control);
  if (it != text.end()) {
    fail(source, line_at(static_cast<std::size_t>(it - text.begin())), "found a control character, expected text");
  }
}

/// yaml-cpp takes a quote that is never closed as a text up to the end of the file: refuse that.
void check_closed(const std::string& text, const YamlSource& source, const YAML::Mark& quote) {
  if (quote.is_null()) return;
  std::size_t pos = text.compare(0, 3, "\xef\xbb\xbf") == 0 ? 3 : 0;  // marks do not count a byte order mark
  for (int line = 0; line < quote.line && pos != std::string::npos; ++line) pos = text.find('\n', pos) + 1;
  pos += static_cast<std::size_t>(quote.column);
  if (pos >= text.size() || (text[pos] != '"' && text[pos] != '\'')) return;
  const char mark = text[pos];
  for (++pos; pos < text.size(); ++pos) {
    if (mark == '"' && text[pos] == '\\') {
      ++pos;
    } else if (text[pos] == mark) {
      if (mark == '"' || pos + 1 >= text.size() || text[pos + 1] != mark) return;
      ++pos;  // '' inside '...' is one '
    }
  }
  fail(source, static_cast<std::size_t>(quote.line) + 1, std::string("found ") + mark + " without a second one");
}

}  // namespace

YamlNode parse_yaml(const std::string& text, const YamlSource& source, Problems& problems) {
  check_bytes(text, source);
  TreeBuilder builder(source, problems);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {}
  } catch (const YAML::Exception& error) {
    fail(source, error.mark.is_null() ? 0 : static_cast<std::size_t>(error.mark.line) + 1,
         "not valid YAML: " + error.msg);
  }
  check_closed(text, source, builder.last_quote());
  return builder.take();
}

}  // namespace dragoman
