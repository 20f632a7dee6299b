#include <algorithm>
#include <string>

#include "data/grammar_derivation.h"

namespace dragoman {
namespace {

/// Which mentions a pronoun could mean for a reader who sees no more than the words.
class Reader {
 public:
  Reader(const Lexicon& lexicon, const Derivation& d) : lexicon_(lexicon), d_(d) {}

  [[nodiscard]] bool all_clear() const {
    std::vector<std::pair<Slot, int>> before;  // the nouns said so far
    for (std::size_t i = 0; i < d_.rule->english.size(); ++i) {
      const Symbol& symbol = d_.rule->english[i];
      if (kNounSlots.find(symbol.kind) == std::string_view::npos || !d_.spoken[i]) continue;
      const Slot slot{symbol.kind, symbol.clause};
      const int mention = d_.slots.at(slot);
      if (d_.mentions[mention].antecedent < 0) {
        before.emplace_back(slot, mention);
        continue;
      }
      for (const auto& [other, candidate] : before)
        if (candidate != d_.root(mention) && possible(slot, d_.mentions[mention], other, candidate)) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] bool possible(const Slot& slot, const Mention& pronoun, const Slot& said, int candidate) const {
    return !excluded(slot, said, candidate) && agrees(pronoun, candidate) && sensible(slot, candidate);
  }

  /// Whether the clause names that thing in another slot already: nobody "helped him" who is he.
  [[nodiscard]] bool excluded(const Slot& slot, const Slot& said, int candidate) const {
    return std::any_of(d_.slots.begin(), d_.slots.end(), [&](const auto& entry) {
      const auto& [other, mention] = entry;
      return other.second == slot.second && other.first != slot.first && d_.root(mention) == candidate &&
             (other.first == 'S' || said.second == slot.second);
    });
  }

  /// Number, and gender as far as the noun tells it.
  [[nodiscard]] bool agrees(const Mention& pronoun, int candidate) const {
    const Mention& m = d_.mentions[candidate];
    if (pronoun.is_plural() || m.is_plural()) return pronoun.is_plural() == m.is_plural();
    const Noun& noun = lexicon_.nouns[m.noun];
    if (lexicon_.nouns[pronoun.noun].person() != noun.person()) return false;
    return !noun.person() || !noun.is(pronoun.gender == 'm' ? "female" : "male");
  }

  /// What some person (or some animal) can be or do, any person (or animal) can, as far as a reader knows.
  [[nodiscard]] bool fits(const NounSet& set, int noun) const {
    const auto alike = [&](const char* kind) {
      return lexicon_.nouns[noun].is(kind) && std::any_of(set.nouns().begin(), set.nouns().end(),
                                                          [&](int other) { return lexicon_.nouns[other].is(kind); });
    };
    return set.contains(noun) || alike("person") || alike("animal");
  }

  /// Whether the verb or adjective of the clause allows that thing in that slot.
  [[nodiscard]] bool sensible(const Slot& slot, int candidate) const {
    const auto [kind, clause] = slot;
    const Mention& m = d_.mentions[candidate];
    const auto allowed = [&](const NounSet& set) { return fits(set, m.noun) && (m.second < 0 || fits(set, m.second)); };
    if (const int chosen = d_.clauses[clause].adjective; chosen >= 0)
      return std::any_of(lexicon_.adjectives.begin(), lexicon_.adjectives.end(), [&](const Adjective& a) {
        return a.english == lexicon_.adjectives[chosen].english && a.after && allowed(a.nouns);
      });
    const std::string& verb = lexicon_.frames[d_.clauses[clause].frame].base;
    for (const Frame& frame : lexicon_.frames) {
      if (frame.base != verb || !allowed(noun_set(frame, kind))) continue;
      bool rest = true;  // what the clause names outright
      for (const char other : {'S', 'O', 'R'}) {
        if (other == kind || !d_.has(other, clause)) continue;
        const Mention& named = d_.mentions[d_.at(other, clause)];
        rest = rest && (named.antecedent >= 0 || noun_set(frame, other).contains(named.noun));
      }
      if (rest) return true;
    }
    return false;
  }

  const Lexicon& lexicon_;
  const Derivation& d_;
};

}  // namespace

int Derivation::root(int mention) const {
  while (mentions[mention].antecedent >= 0) mention = mentions[mention].antecedent;
  return mention;
}

const NounSet& noun_set(const Frame& frame, char kind) {
  switch (kind) {
    case 'O':
      return frame.objects;
    case 'R':
      return frame.receivers;
    case 'G':
      return frame.goals;
    case 'P':
      return frame.places;
    case 'M':
      return frame.tools;
    default:  // S; companions are of the kind of subjects
      return frame.subjects;
  }
}

bool antecedents_are_clear(const Lexicon& lexicon, const Derivation& derivation) {
  return Reader(lexicon, derivation).all_clear();
}

}  // namespace dragoman
