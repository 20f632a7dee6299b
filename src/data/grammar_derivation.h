// A derivation of the grammar: a rule with every slot filled, and how it is said in the two languages.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/rng.h"
#include "data/grammar.h"
#include "data/grammar_lexicon.h"

namespace dragoman {

enum class Determiner { kThe, kA, kBare, kMy, kNumber };

/// The determiner, number and count of a noun phrase.
struct Shape {
  Determiner determiner = Determiner::kThe;
  bool plural = false;
  int count = 0;  ///< 2 or 3 with kNumber
};

/// A noun phrase, or a pronoun for an earlier one.
struct Mention {
  int noun = -1;
  int second = -1;  ///< the other noun of "the boy and the girl"
  Shape shape;
  int adjective = -1;
  int antecedent = -1;  ///< index of the mention this is a pronoun for, or an understood repetition of
  bool spoken = true;   ///< false: understood
  char gender = 'n';    ///< m, f, n; of a neutral noun with a pronoun it is drawn
  bool fixed = false;   ///< no adjective, because something else is said about it

  [[nodiscard]] bool is_plural() const { return second >= 0 || shape.plural; }
  [[nodiscard]] bool indefinite() const {
    return shape.determiner != Determiner::kThe && shape.determiner != Determiner::kMy;
  }
};

/// A slot: its kind and its clause.
using Slot = std::pair<char, int>;

struct Clause {
  int frame = -1;
  int adjective = -1;
  int time = -1;
  Tense tense = Tense::kPast;
};

struct Derivation {
  const Rule* rule = nullptr;
  std::vector<Mention> mentions;
  std::map<Slot, int> slots;  ///< to mentions
  std::array<Clause, 10> clauses;
  std::vector<bool> spoken;  ///< of the optional slots of the rule, which are said (by English symbol)

  [[nodiscard]] bool has(char kind, int clause) const { return slots.contains({kind, clause}); }
  [[nodiscard]] int at(char kind, int clause) const { return slots.at({kind, clause}); }
  /// The first mention of what this mention means.
  [[nodiscard]] int root(int mention) const;
};

/// Slots that hold nouns.
inline constexpr std::string_view kNounSlots = "SORGPCM";

/// The nouns that an entry of a verb allows in a slot of that kind.
const NounSet& noun_set(const Frame& frame, char kind);

/// The shapes a noun can have.
std::vector<Shape> shapes_of(const Noun& noun);

/// Fills a rule; nothing if the words drawn do not go together (draw again).
std::optional<Derivation> derive(const Lexicon& lexicon, const Rule& rule, Rng& rng);

/// Whether every pronoun has one possible antecedent, by number, gender and the words of its clause.
bool antecedents_are_clear(const Lexicon& lexicon, const Derivation& derivation);

/// Says it in both languages.
GrammarPair realize(const Lexicon& lexicon, const Derivation& derivation);

}  // namespace dragoman
