// The words and rules of data/grammar.txt, parsed. The header of that file explains them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/korean.h"

namespace dragoman {

/// How "he", "she" and "they" are said for a person.
enum class PronounForm { kPronoun, kRepeat, kThat };

struct Noun {
  std::string english;
  std::string plural;  ///< empty: none
  std::string korean;
  std::string counter;      ///< 개, 마리, ...
  std::string preposition;  ///< of a place
  std::vector<std::string> classes;
  PronounForm pronoun = PronounForm::kPronoun;

  [[nodiscard]] bool is(std::string_view name) const;
  [[nodiscard]] bool person() const { return is("person"); }
};

/// Indices of nouns, ascending.
class NounSet {
 public:
  NounSet() = default;
  explicit NounSet(std::vector<int> nouns) : nouns_(std::move(nouns)) {}
  [[nodiscard]] bool contains(int noun) const;
  [[nodiscard]] bool empty() const { return nouns_.empty(); }
  [[nodiscard]] const std::vector<int>& nouns() const { return nouns_; }

 private:
  std::vector<int> nouns_;
};

struct Adjective {
  std::string english;
  std::string korean;                  ///< of a determiner (새); otherwise empty
  std::optional<Predicate> predicate;  ///< unless it is a determiner
  NounSet nouns;
  bool before = false;  ///< the noun
  bool after = false;   ///< "is"

  [[nodiscard]] std::string adnominal() const;
};

/// One entry of a verb: what its subjects, objects and so on may be.
struct Frame {
  std::string base;
  std::string third;
  std::string past;
  Predicate korean;
  NounSet subjects, objects, receivers, goals, tools, places;
  bool can_past = false, can_present = false, can_future = false;
  bool habit = false;  ///< present with an indefinite object only
  bool state = false;  ///< present, without a time phrase
  bool was = false;    ///< past, without a time phrase
  bool first = false, later = false, keep = false;
};

struct TimePhrase {
  std::string english;
  std::string korean;
  Tense tense;
};

struct Reason {
  std::string verb;
  bool object;  ///< otherwise the subject is meant
  std::vector<std::string> adjectives;
};

/// A symbol of a rule: "S1", "V1:past", "O2=O1", "V1-고", "and@V1", ".".
struct Symbol {
  char kind = 'L';  ///< S O R G P C M T V N B A, or L for a word
  int clause = 0;
  char same_kind = 0;  ///< of X2=Y1
  int same_clause = 0;
  std::string text;     ///< a word; otherwise the flag after ':' or the ending after '-'
  std::string aligned;  ///< what follows '@'
  bool optional = false;
};

struct Rule {
  double weight = 1;
  std::vector<Symbol> english;
  std::vector<Symbol> korean;
  std::vector<Symbol> understood;
  int clauses = 1;
  std::size_t line = 0;
};

struct Lexicon {
  std::vector<Noun> nouns;
  std::vector<Adjective> adjectives;
  std::vector<Frame> frames;
  std::vector<TimePhrase> times;
  std::vector<Reason> reasons;
  std::vector<Rule> rules;
};

/// Parses the text of a grammar; `file` names it in messages. Throws UserError with the line of a mistake.
Lexicon parse_lexicon(std::string_view text, const std::string& file);

}  // namespace dragoman
