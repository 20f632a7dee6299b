#include <algorithm>
#include <set>

#include "core/error.h"
#include "data/grammar_derivation.h"

namespace dragoman {
namespace {

constexpr double kOptional = 0.4;   // an optional slot is said
constexpr double kAdjective = 0.3;  // a noun that can have one has an adjective
constexpr double kPlural = 0.4;
constexpr double kFuture = 0.45;  // of a clause without time phrase

template <class T>
const T& pick(const std::vector<T>& items, Rng& rng) {
  return items[rng.below(items.size())];
}

class Builder {
 public:
  Builder(const Lexicon& lexicon, const Rule& rule, Rng& rng) : lexicon_(lexicon), rng_(rng) { d_.rule = &rule; }

  std::optional<Derivation> build() {
    choose_symbols();
    for (int clause = 1; clause <= d_.rule->clauses; ++clause)
      if (!(in_clause('B', clause) ? fill_state(clause) : fill_event(clause))) return std::nullopt;
    if (!events_in_order()) return std::nullopt;
    for (int clause = 1; clause <= d_.rule->clauses; ++clause)
      if (!choose_tense(clause)) return std::nullopt;
    for (const auto& [slot, mention] : d_.slots)
      if (d_.mentions[mention].antecedent < 0) choose_shape(slot, d_.mentions[mention]);
    choose_genders();
    if (!antecedents_are_clear(lexicon_, d_)) return std::nullopt;
    return std::move(d_);
  }

 private:
  // -- the symbols of the rule -------------------------------------------------------------------------
  void choose_symbols() {
    const Symbol* before = nullptr;
    for (const Symbol& symbol : d_.rule->english) {
      d_.spoken.push_back(!symbol.optional || rng_.uniform() < kOptional);
      if (symbol.text == "who" || symbol.text == "that") heads_[{before->kind, before->clause}] = symbol.text == "who";
      if (symbol.kind != 'L' && d_.spoken.back()) symbols_[{symbol.kind, symbol.clause}] = &symbol;
      before = &symbol;
    }
    for (const Symbol& symbol : d_.rule->korean)
      if (symbol.kind == 'V' && symbol.text == "ㄴ") relative_.insert(symbol.clause);
    for (const Symbol& symbol : d_.rule->understood) symbols_[{symbol.kind, symbol.clause}] = &symbol;
  }

  [[nodiscard]] bool in_clause(char kind, int clause) const { return symbols_.contains({kind, clause}); }
  [[nodiscard]] std::string flag(char kind, int clause) const {
    const auto found = symbols_.find({kind, clause});
    return found == symbols_.end() ? "" : found->second->text;
  }
  [[nodiscard]] bool understood(const Symbol* symbol) const {
    return !d_.rule->understood.empty() && symbol >= d_.rule->understood.data() &&
           symbol < d_.rule->understood.data() + d_.rule->understood.size();
  }
  /// The mention that slot repeats, or -1.
  [[nodiscard]] int repeated(char kind, int clause) const {
    const Symbol& symbol = *symbols_.at({kind, clause});
    return symbol.same_kind == 0 ? -1 : d_.at(symbol.same_kind, symbol.same_clause);
  }

  // -- nouns, verbs and adjectives ---------------------------------------------------------------------
  [[nodiscard]] bool used(int noun) const {
    return std::any_of(d_.mentions.begin(), d_.mentions.end(),
                       [&](const Mention& m) { return m.noun == noun || m.second == noun; });
  }

  /// Fills a slot from a set of nouns.
  bool fill(char kind, int clause, const NounSet& set) {
    const Symbol* symbol = symbols_.at({kind, clause});
    Mention mention;
    mention.antecedent = repeated(kind, clause);
    mention.spoken = !understood(symbol);
    if (mention.antecedent >= 0) {
      const Mention& first = d_.mentions[d_.root(mention.antecedent)];
      if (!set.contains(first.noun) || (first.second >= 0 && !set.contains(first.second))) return false;
      mention.noun = first.noun;
      mention.second = first.second;
    } else {
      const auto head = heads_.find({kind, clause});
      const bool pair = symbol->text == "pair";
      std::vector<int> nouns;
      for (const int noun : set.nouns()) {
        const Noun& n = lexicon_.nouns[noun];
        if (used(noun) || (head != heads_.end() && (n.is("kin") || head->second != n.person()))) continue;
        if (pair && (n.is("respect") || !n.person())) continue;
        nouns.push_back(noun);
      }
      if (nouns.size() < (pair ? 2u : 1u)) return false;
      mention.noun = pick(nouns, rng_);
      if (pair) {
        std::erase(nouns, mention.noun);
        mention.second = pick(nouns, rng_);
      }
    }
    d_.slots[{kind, clause}] = static_cast<int>(d_.mentions.size());
    d_.mentions.push_back(mention);
    return true;
  }

  /// "SUBJECT is ADJECTIVE".
  bool fill_state(int clause) {
    const int same = repeated('S', clause);
    const int noun = same < 0 ? -1 : d_.mentions[same].noun;
    std::vector<int> fitting;
    for (std::size_t i = 0; i < lexicon_.adjectives.size(); ++i)
      if (const Adjective& a = lexicon_.adjectives[i];
          a.after && (noun < 0 || a.nouns.contains(noun)) && is_reason(a, clause))
        fitting.push_back(static_cast<int>(i));
    if (fitting.empty()) return false;
    d_.clauses[clause].adjective = pick(fitting, rng_);
    if (!fill('S', clause, lexicon_.adjectives[d_.clauses[clause].adjective].nouns)) return false;
    d_.mentions[d_.root(d_.at('S', clause))].fixed = true;
    return true;
  }

  /// After "because", only an adjective that is a reason for the first clause.
  [[nodiscard]] bool is_reason(const Adjective& adjective, int clause) const {
    const auto& english = d_.rule->english;
    const auto because = [](const Symbol& symbol) { return symbol.text == "because"; };
    if (clause != 2 || std::none_of(english.begin(), english.end(), because)) return true;
    const bool object = symbols_.at({'S', clause})->same_kind == 'O';
    return std::any_of(lexicon_.reasons.begin(), lexicon_.reasons.end(), [&](const Reason& reason) {
      return reason.verb == lexicon_.frames[d_.clauses[1].frame].base && reason.object == object &&
             std::find(reason.adjectives.begin(), reason.adjectives.end(), adjective.english) !=
                 reason.adjectives.end();
    });
  }

  [[nodiscard]] bool fits(const Frame& frame, int clause) const {
    for (const char kind : {'O', 'R', 'G'})  // all or none
      if (in_clause(kind, clause) == noun_set(frame, kind).empty()) return false;
    if (relative_.contains(clause) && frame.state) return false;
    if (in_clause('N', clause) && !frame.can_future && !frame.state) return false;
    for (const char kind : {'P', 'M'})
      if (in_clause(kind, clause) && noun_set(frame, kind).empty()) return false;
    for (const char kind : kNounSlots) {
      if (!in_clause(kind, clause)) continue;
      const int same = repeated(kind, clause);
      if (same >= 0 && !noun_set(frame, kind).contains(d_.mentions[same].noun)) return false;
    }
    return true;
  }

  bool fill_event(int clause) {
    std::vector<std::string> verbs;  // first a verb, then one of its entries: every verb is equally frequent
    for (const Frame& frame : lexicon_.frames)
      if (fits(frame, clause) && (verbs.empty() || verbs.back() != frame.base)) verbs.push_back(frame.base);
    if (verbs.empty()) return false;
    const std::string& verb = pick(verbs, rng_);
    std::vector<int> frames;  // as often as they have subjects
    for (std::size_t i = 0; i < lexicon_.frames.size(); ++i)
      if (const Frame& f = lexicon_.frames[i]; f.base == verb && fits(f, clause))
        frames.insert(frames.end(), f.subjects.nouns().size(), static_cast<int>(i));
    const int frame = pick(frames, rng_);
    d_.clauses[clause].frame = frame;
    for (const char kind : kNounSlots)
      if (in_clause(kind, clause) && !fill(kind, clause, noun_set(lexicon_.frames[frame], kind))) return false;
    return true;
  }

  /// Whether what happens to one object happens in a sensible order: bought and eaten, not eaten and bought.
  [[nodiscard]] bool events_in_order() const {
    if (d_.rule->clauses > 1 && !in_clause('N', 2) && d_.clauses[1].frame >= 0 && d_.clauses[2].frame >= 0 &&
        lexicon_.frames[d_.clauses[1].frame].base == lexicon_.frames[d_.clauses[2].frame].base)
      return false;
    for (const auto& [slot, symbol] : symbols_) {
      const auto [kind, clause] = slot;
      if (symbol->same_kind != 'O' && (kind != 'O' || symbol->same_kind == 0)) continue;
      if (d_.clauses[symbol->same_clause].frame < 0 || d_.clauses[clause].frame < 0) continue;
      if (kind == 'S' && understood(symbol)) continue;
      const bool negated = in_clause('N', clause);
      const Frame* before = &lexicon_.frames[d_.clauses[symbol->same_clause].frame];
      const Frame* after = &lexicon_.frames[d_.clauses[clause].frame];
      const bool same_verb = before->base == after->base;
      if (negated && same_verb && before->keep) continue;
      if (understood(symbol)) std::swap(before, after);  // a relative clause tells what was before
      if (after->state && before->later) return false;
      if (same_verb || !before->first || !(after->later || kind != 'O')) return false;
    }
    return true;
  }

  // -- tense, time, shape ------------------------------------------------------------------------------
  bool choose_tense(int clause) {
    Clause& c = d_.clauses[clause];
    if (c.adjective >= 0) {
      c.tense = flag('B', clause) == "past" || rng_.uniform() < 0.5 ? Tense::kPast : Tense::kPresent;
      return true;
    }
    const Frame& frame = lexicon_.frames[c.frame];
    const std::string wanted = flag('V', clause) + flag('N', clause);
    const bool timed = in_clause('T', clause);
    const bool past = frame.can_past || (!timed && frame.was);
    const bool habitual = frame.can_present || (frame.habit && indefinite_object(clause));
    const bool present = timed ? habitual && !in_clause('N', clause) : frame.state;
    const bool any = wanted.empty();
    std::vector<std::pair<Tense, double>> choices;
    if (past && (any || wanted == "past")) choices.emplace_back(Tense::kPast, 1.0);
    if (present && (any || wanted == "present")) choices.emplace_back(Tense::kPresent, timed ? 0.6 : 1.0);
    if (frame.can_future && (any || wanted == "future")) choices.emplace_back(Tense::kFuture, timed ? 0.6 : kFuture);
    if (choices.empty()) return false;
    double total = 0;
    for (const auto& choice : choices) total += choice.second;
    double at = rng_.uniform() * total;
    c.tense = choices.back().first;
    for (const auto& [tense, weight] : choices) {
      if (at < weight) {
        c.tense = tense;
        break;
      }
      at -= weight;
    }
    if (!timed) return true;
    std::vector<int> times;
    for (std::size_t i = 0; i < lexicon_.times.size(); ++i)
      if (lexicon_.times[i].tense == c.tense) times.push_back(static_cast<int>(i));
    if (times.empty()) return false;
    c.time = pick(times, rng_);
    return true;
  }

  /// Whether the object of the clause is free to be indefinite.
  [[nodiscard]] bool indefinite_object(int clause) const {
    return in_clause('O', clause) && repeated('O', clause) < 0 && flag('O', clause) != "the" &&
           !heads_.contains({'O', clause});
  }

  void choose_shape(const Slot& slot, Mention& mention) {
    const auto [kind, clause] = slot;
    const Noun& noun = lexicon_.nouns[mention.noun];
    mention.gender = noun.is("male") ? 'm' : noun.is("female") ? 'f' : 'n';
    const std::string wanted = flag(kind, clause);
    const Clause& c = d_.clauses[clause];
    if (mention.second >= 0) return;
    const bool free = kind == 'S' || kind == 'O';
    const bool head = heads_.contains(slot);
    const bool the = wanted == "the" || head || !(free || kind == 'M') || c.adjective >= 0;
    const bool one = wanted == "one" || !free;
    const bool habit = kind == 'O' && c.tense == Tense::kPresent && !lexicon_.frames[c.frame].can_present &&
                       !lexicon_.frames[c.frame].state;
    const bool plural = !one && !noun.plural.empty() && rng_.uniform() < kPlural;
    std::vector<Shape> shapes;
    for (const Shape& shape : shapes_of(noun)) {
      const bool definite = shape.determiner == Determiner::kThe || shape.determiner == Determiner::kMy;
      if (shape.plural != plural || (the && !definite)) continue;
      if (kind == 'M' ? shape.determiner != Determiner::kA : habit && definite) continue;
      if (kind == 'O' && lexicon_.frames[c.frame].state && !definite && shape.determiner != Determiner::kBare) continue;
      shapes.push_back(shape);
    }
    CHECK(!shapes.empty(), "grammar: no shape for " + noun.english);
    mention.shape = pick(shapes, rng_);
    if (free && !head && !mention.fixed && rng_.uniform() < kAdjective) {
      std::vector<int> fitting;
      for (std::size_t i = 0; i < lexicon_.adjectives.size(); ++i)
        if (lexicon_.adjectives[i].before && lexicon_.adjectives[i].nouns.contains(mention.noun))
          fitting.push_back(static_cast<int>(i));
      if (!fitting.empty() && !noun.is("kin")) mention.adjective = pick(fitting, rng_);
    }
  }

  void choose_genders() {
    for (Mention& mention : d_.mentions) {
      if (mention.antecedent < 0) continue;
      Mention& root = d_.mentions[d_.root(mention.antecedent)];
      if (mention.spoken && root.gender == 'n' && lexicon_.nouns[root.noun].person())
        root.gender = rng_.uniform() < 0.5 ? 'm' : 'f';
      mention.gender = root.gender;
      mention.shape = root.shape;
    }
  }

  const Lexicon& lexicon_;
  Rng& rng_;
  Derivation d_;
  std::map<Slot, const Symbol*> symbols_;
  std::map<Slot, bool> heads_;  ///< nouns with a relative clause: whether a person
  std::set<int> relative_;      ///< relative clauses
};

}  // namespace

std::vector<Shape> shapes_of(const Noun& noun) {
  if (noun.is("kin")) return {{Determiner::kMy}};
  if (noun.is("place")) return {{Determiner::kThe}};
  if (noun.is("mass")) return {{Determiner::kThe}, {Determiner::kBare}};
  std::vector<Shape> shapes = {{Determiner::kThe}, {Determiner::kA}};
  if (!noun.plural.empty())
    for (const Shape& shape :
         {Shape{Determiner::kThe, true}, {Determiner::kNumber, true, 2}, {Determiner::kNumber, true, 3}})
      shapes.push_back(shape);
  return shapes;
}

std::optional<Derivation> derive(const Lexicon& lexicon, const Rule& rule, Rng& rng) {
  return Builder(lexicon, rule, rng).build();
}

}  // namespace dragoman
