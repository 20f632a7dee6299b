#include "data/grammar_lexicon.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

#include "core/error.h"

namespace dragoman {
namespace {

std::string trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return std::string(text);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(trim(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

/// "subject=person -child object=food": every key with its words.
std::map<std::string, std::vector<std::string>> parse_keys(const std::string& text) {
  std::map<std::string, std::vector<std::string>> keys;
  std::string key;
  for (const std::string& word : words(text)) {
    const std::size_t at = word.find('=');
    if (at == std::string::npos && key.empty()) throw UserError("expected KEY=VALUE, found '" + word + "'");
    if (at != std::string::npos) key = word.substr(0, at);
    keys[key].push_back(at == std::string::npos ? word : word.substr(at + 1));
  }
  return keys;
}

class Parser {
 public:
  Lexicon parse(std::string_view text, const std::string& file) {
    std::size_t number = 0;
    for (const std::string& line : split(text, '\n')) {
      ++number;
      if (line.empty() || line.front() == '#') continue;
      try {
        if (line.front() == '[' && line.back() == ']') {
          open_section(line.substr(1, line.size() - 2));
        } else {
          line_ = number;
          parse_line(split(line, '|'));
        }
      } catch (const UserError& error) {
        throw UserError(file, number, error.what());
      }
    }
    if (lexicon_.nouns.empty() || lexicon_.frames.empty() || lexicon_.rules.empty())
      throw UserError(file, 0, "a grammar needs nouns, verbs and rules");
    return std::move(lexicon_);
  }

 private:
  static void expect(const std::vector<std::string>& fields, std::size_t least, std::size_t most, const char* form) {
    if (fields.size() < least || fields.size() > most) throw UserError(std::string("expected ") + form);
  }

  void open_section(const std::string& name) {
    for (const char* known : {"noun", "place", "adjective", "verb", "time", "reason", "rule"})
      if (name == known) section_ = name;
    if (section_ != name)
      throw UserError("unknown section [" + name + "]: expected noun, place, adjective, verb, time, reason or rule");
  }

  void parse_line(const std::vector<std::string>& f) {
    if (section_ == "noun") {
      expect(f, 3, 4, "ENGLISH[, PLURAL] | KOREAN | CLASSES [| KEY=VALUE ...]");
      parse_noun(f);
    } else if (section_ == "place") {
      expect(f, 3, 3, "ENGLISH | PREPOSITION | KOREAN");
      lexicon_.nouns.push_back(
          {.english = f[0], .plural = {}, .korean = f[2], .counter = {}, .preposition = f[1], .classes = {"place"}});
    } else if (section_ == "adjective") {
      expect(f, 4, 4, "ENGLISH | KOREAN | NOUNS | before and/or after");
      parse_adjective(f);
    } else if (section_ == "verb") {
      expect(f, 3, 3, "BASE, THIRD PERSON, PAST | KOREAN | KEY=VALUE ...");
      parse_verb(f);
    } else if (section_ == "time") {
      expect(f, 3, 3, "ENGLISH | KOREAN | TENSE");
      if (f[2] != "past" && f[2] != "present" && f[2] != "future") throw UserError("unknown tense '" + f[2] + "'");
      const Tense tense = f[2] == "past" ? Tense::kPast : f[2] == "present" ? Tense::kPresent : Tense::kFuture;
      lexicon_.times.push_back({f[0], f[1], tense});
    } else if (section_ == "reason") {
      expect(f, 3, 3, "VERB | subject or object | ADJECTIVES");
      if (f[1] != "subject" && f[1] != "object") throw UserError("expected subject or object, found '" + f[1] + "'");
      lexicon_.reasons.push_back({f[0], f[1] == "object", words(f[2])});
    } else if (section_ == "rule") {
      expect(f, 3, 4, "WEIGHT | ENGLISH | KOREAN [| UNDERSTOOD]");
      parse_rule(f);
    } else {
      throw UserError("expected a section such as [noun] first");
    }
  }

  void parse_noun(const std::vector<std::string>& f) {
    Noun noun;
    const auto names = split(f[0], ',');
    noun.english = names[0];
    if (names.size() > 1) noun.plural = names[1];
    noun.korean = f[1];
    noun.classes = words(f[2]);
    for (const auto& [key, values] : parse_keys(f.size() > 3 ? f[3] : "")) {
      if (key == "counter")
        noun.counter = values[0];
      else if (key == "pronoun" && values[0] == "repeat")
        noun.pronoun = PronounForm::kRepeat;
      else if (key == "pronoun" && values[0] == "that")
        noun.pronoun = PronounForm::kThat;
      else
        throw UserError("unknown " + key + "=" + values[0]);
    }
    if (!noun.plural.empty() && noun.counter.empty()) throw UserError("'" + noun.plural + "' needs counter=");
    with_particle(noun.korean, Particle::kTopic);  // is it Korean?
    lexicon_.nouns.push_back(std::move(noun));
  }

  void parse_adjective(const std::vector<std::string>& f) {
    Adjective adjective;
    adjective.english = f[0];
    const bool determiner = f[1].find("다") == std::string::npos;
    if (determiner)
      adjective.korean = f[1];
    else
      adjective.predicate.emplace(f[1], true);
    adjective.nouns = parse_set(words(f[2]));
    for (const std::string& use : words(f[3])) {
      if (use != "before" && use != "after") throw UserError("expected before or after, found '" + use + "'");
      (use == "before" ? adjective.before : adjective.after) = true;
    }
    if (determiner && adjective.after)
      throw UserError("'" + f[1] + "' does not end in 다: it stands before nouns only");
    lexicon_.adjectives.push_back(std::move(adjective));
  }

  void parse_verb(const std::vector<std::string>& f) {
    const auto forms = split(f[0], ',');
    if (forms.size() != 3) throw UserError("expected BASE, THIRD PERSON, PAST; found '" + f[0] + "'");
    Frame frame{.base = forms[0],
                .third = forms[1],
                .past = forms[2],
                .korean = Predicate(f[1], false),
                .subjects = {},
                .objects = {},
                .receivers = {},
                .goals = {},
                .tools = {},
                .places = {}};
    const std::map<std::string, NounSet*> sets = {{"subject", &frame.subjects},   {"object", &frame.objects},
                                                  {"receiver", &frame.receivers}, {"goal", &frame.goals},
                                                  {"tool", &frame.tools},         {"place", &frame.places}};
    const std::map<std::string, bool*> flags = {
        {"past", &frame.can_past}, {"present", &frame.can_present}, {"future", &frame.can_future},
        {"habit", &frame.habit},   {"state", &frame.state},         {"was", &frame.was},
        {"first", &frame.first},   {"later", &frame.later},         {"keep", &frame.keep}};
    for (const auto& [key, values] : parse_keys(f[2])) {
      if (const auto set = sets.find(key); set != sets.end()) {
        *set->second = parse_set(values);
      } else if (key == "tense" || key == "order") {
        for (const std::string& value : values) {
          const auto flag = flags.find(value);
          if (flag == flags.end())
            throw UserError(std::string("unknown ").append(key).append(" '").append(value).append("'"));
          *flag->second = true;
        }
      } else {
        throw UserError("unknown key '" + key + "'");
      }
    }
    if (frame.subjects.empty()) throw UserError("a verb needs subject=");
    for (const Frame& other : lexicon_.frames)
      if (other.base == frame.base && overlap(other.subjects, frame.subjects) &&
          overlap(other.receivers, frame.receivers) && overlap(other.objects, frame.objects))
        throw UserError("two entries of '" + frame.base + "' share a subject and an object");
    lexicon_.frames.push_back(std::move(frame));
  }

  static bool overlap(const NounSet& a, const NounSet& b) {
    return (a.empty() && b.empty()) ||
           std::any_of(a.nouns().begin(), a.nouns().end(), [&](int noun) { return b.contains(noun); });
  }

  /// Nouns and classes; "-name" takes away what is there so far.
  NounSet parse_set(const std::vector<std::string>& names) const {
    std::vector<bool> in(lexicon_.nouns.size());
    for (const std::string& word : names) {
      const bool add = word.front() != '-';
      const std::string name = add ? word : word.substr(1);
      bool known = false;
      for (std::size_t i = 0; i < in.size(); ++i)
        if (lexicon_.nouns[i].english == name || lexicon_.nouns[i].is(name)) {
          in[i] = add;
          known = true;
        }
      if (!known) throw UserError("'" + name + "' is neither a noun nor a class of nouns");
    }
    std::vector<int> nouns;
    for (std::size_t i = 0; i < in.size(); ++i)
      if (in[i]) nouns.push_back(static_cast<int>(i));
    return NounSet(std::move(nouns));
  }

  void parse_rule(const std::vector<std::string>& f) {
    Rule rule;
    const auto [end, error] = std::from_chars(f[0].data(), f[0].data() + f[0].size(), rule.weight);
    if (error != std::errc() || end != f[0].data() + f[0].size() || !(rule.weight > 0))
      throw UserError("expected a positive weight, found '" + f[0] + "'");
    for (const std::string& word : words(f[1])) rule.english.push_back(parse_symbol(word));
    for (const std::string& word : words(f[2])) rule.korean.push_back(parse_symbol(word));
    if (f.size() > 3)
      for (const std::string& word : words(f[3])) rule.understood.push_back(parse_symbol(word));
    for (const Symbol& symbol : rule.english) rule.clauses = std::max(rule.clauses, symbol.clause);
    for (const Symbol& symbol : rule.korean)
      if (symbol.kind != 'L' && std::none_of(rule.english.begin(), rule.english.end(), [&](const Symbol& other) {
            return other.kind == symbol.kind && other.clause == symbol.clause && other.optional == symbol.optional;
          }))
        throw UserError(std::string("the Korean has ") + symbol.kind + std::to_string(symbol.clause) +
                        ", the English has not");
    rule.line = line_;
    lexicon_.rules.push_back(std::move(rule));
  }

  static Symbol parse_symbol(std::string word) {
    Symbol symbol;
    const std::string whole = word;
    if (word.size() > 2 && word.front() == '[' && word.back() == ']') {
      symbol.optional = true;
      word = word.substr(1, word.size() - 2);
    }
    const auto slot = [](std::string_view text) {
      return text.size() >= 2 && std::string_view("SORGPCMTVNBA").find(text[0]) != std::string_view::npos &&
             text[1] >= '1' && text[1] <= '9';
    };
    if (!slot(word)) {
      const std::size_t at = word.find('@');
      symbol.text = word.substr(0, at);
      if (at != std::string::npos) symbol.aligned = word.substr(at + 1);
      return symbol;
    }
    symbol.kind = word[0];
    symbol.clause = word[1] - '0';
    word.erase(0, 2);
    if (word.starts_with('=')) {
      if (!slot(std::string_view(word).substr(1)) || word.size() != 3)
        throw UserError("expected a slot after '=' in '" + whole + "'");
      symbol.same_kind = word[1];
      symbol.same_clause = word[2] - '0';
    } else if (word.starts_with(':') || word.starts_with('-')) {
      symbol.text = word.substr(1);
    } else if (!word.empty()) {
      throw UserError("cannot read '" + whole + "'");
    }
    return symbol;
  }

  Lexicon lexicon_;
  std::string section_;
  std::size_t line_ = 0;
};

}  // namespace

bool Noun::is(std::string_view name) const { return std::find(classes.begin(), classes.end(), name) != classes.end(); }

bool NounSet::contains(int noun) const { return std::binary_search(nouns_.begin(), nouns_.end(), noun); }

std::string Adjective::adnominal() const { return predicate ? predicate->adnominal(Tense::kPresent) : korean; }

Lexicon parse_lexicon(std::string_view text, const std::string& file) { return Parser().parse(text, file); }

}  // namespace dragoman
