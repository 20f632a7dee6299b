#include <algorithm>
#include <sstream>

#include "core/error.h"
#include "data/grammar_derivation.h"

namespace dragoman {
namespace {

/// A word and what it expresses; words of the two languages that share a number are aligned.
struct Token {
  std::string text;
  std::vector<int> links;
};
using Tokens = std::vector<Token>;

/// What the words of a mention or of a clause express.
enum Part { kHead, kArticle, kCount, kAdjectivePart, kSecond, kAnd, kPreposition };
enum VerbPart { kVerb, kAuxiliary, kNot };

constexpr int kClauseLinks = 1000;
constexpr int kTimeLinks = 2000;
constexpr int kWordLinks = 3000;
constexpr int kPeriodLinks = 4000;

/// Every word of the text, with these links.
void add_words(Tokens& out, const std::string& text, const std::vector<int>& links) {
  std::istringstream in(text);
  for (std::string word; in >> word;) out.push_back({word, links});
}

class Realizer {
 public:
  Realizer(const Lexicon& lexicon, const Derivation& d) : lexicon_(lexicon), d_(d), positions_(d.mentions.size()) {}

  GrammarPair realize() {
    const auto& rule = *d_.rule;
    for (std::size_t i = 0; i < rule.english.size(); ++i)
      if (d_.spoken[i]) say_english(rule.english[i]);
    for (const Symbol& symbol : rule.korean)
      if (!symbol.optional || is_spoken(symbol)) say_korean(symbol);
    link_periods(english_);
    link_periods(korean_);

    GrammarPair pair;
    pair.source = join(english_, true);
    pair.target = join(korean_, false);
    for (std::size_t i = 0; i < english_.size(); ++i)
      for (std::size_t j = 0; j < korean_.size(); ++j)
        if (share(english_[i], korean_[j])) pair.alignment.emplace_back(static_cast<int>(i), static_cast<int>(j));
    for (std::size_t m = 0; m < d_.mentions.size(); ++m) {
      if (d_.mentions[m].antecedent < 0) continue;
      for (const int pronoun : positions_[m])
        for (const int noun : positions_[static_cast<std::size_t>(d_.root(static_cast<int>(m)))])
          pair.antecedents.emplace_back(pronoun, noun);
    }
    std::sort(pair.antecedents.begin(), pair.antecedents.end());
    return pair;
  }

 private:
  [[nodiscard]] bool is_spoken(const Symbol& symbol) const {
    for (std::size_t i = 0; i < d_.rule->english.size(); ++i)
      if (const Symbol& e = d_.rule->english[i]; e.kind == symbol.kind && e.clause == symbol.clause)
        return d_.spoken[i];
    return false;
  }

  static bool share(const Token& a, const Token& b) {
    return std::any_of(a.links.begin(), a.links.end(),
                       [&](int link) { return std::find(b.links.begin(), b.links.end(), link) != b.links.end(); });
  }

  /// The last periods of both sides are aligned, then those before.
  static void link_periods(Tokens& tokens) {
    int period = kPeriodLinks;
    for (auto token = tokens.rbegin(); token != tokens.rend(); ++token)
      if (token->text == ".") token->links = {period++};
  }

  static std::string join(const Tokens& tokens, bool capitals) {
    std::string text;
    bool start = capitals;
    for (const Token& token : tokens) {
      if (!text.empty()) text += ' ';
      text += token.text;
      if (char& first = text[text.size() - token.text.size()]; start && first >= 'a' && first <= 'z')
        first = static_cast<char>(first - 'a' + 'A');
      start = capitals && token.text == ".";
    }
    return text;
  }

  static int mention_link(int mention, Part part) { return 16 * (mention + 1) + part; }
  static int clause_link(int clause, VerbPart part) { return kClauseLinks + 16 * clause + part; }

  /// A word of the rule that is aligned with a Korean word of the rule.
  int word_link(const std::string& word) {
    const auto at = std::find(words_.begin(), words_.end(), word);
    if (at != words_.end()) return kWordLinks + static_cast<int>(at - words_.begin());
    words_.push_back(word);
    return kWordLinks + static_cast<int>(words_.size()) - 1;
  }

  // -- English -----------------------------------------------------------------------------------------
  void say_english(const Symbol& symbol) {
    const int c = symbol.clause;
    switch (symbol.kind) {
      case 'L': {
        std::vector<int> links;
        if (symbol.aligned.size() == 2 && symbol.aligned[0] == 'V')
          links = {clause_link(symbol.aligned[1] - '0', kVerb)};
        else if (!symbol.aligned.empty())
          links = {word_link(symbol.aligned)};
        english_.push_back({symbol.text, links});
        return;
      }
      case 'T':
        add_words(english_, lexicon_.times[d_.clauses[c].time].english, {kTimeLinks + c});
        return;
      case 'V':
      case 'N':
        say_verb(c, symbol.kind == 'N');
        return;
      case 'B': {
        const bool plural = subject(c).is_plural();
        const bool past = d_.clauses[c].tense == Tense::kPast;
        english_.push_back({past ? (plural ? "were" : "was") : (plural ? "are" : "is"), {clause_link(c, kAuxiliary)}});
        return;
      }
      case 'A':
        english_.push_back({lexicon_.adjectives[d_.clauses[c].adjective].english, {clause_link(c, kVerb)}});
        return;
      default:
        say_mention(symbol);
    }
  }

  [[nodiscard]] const Mention& subject(int clause) const { return d_.mentions[d_.at('S', clause)]; }

  void say_verb(int c, bool negative) {
    const Frame& frame = lexicon_.frames[d_.clauses[c].frame];
    const Tense tense = d_.clauses[c].tense;
    const bool plural = subject(c).is_plural();
    const std::vector<int> verb = {clause_link(c, kVerb)};
    if (tense == Tense::kFuture || negative) {
      const char* auxiliary = tense == Tense::kFuture ? "will" : tense == Tense::kPast ? "did" : plural ? "do" : "does";
      english_.push_back({auxiliary, {clause_link(c, kAuxiliary)}});
      if (negative) english_.push_back({"not", {clause_link(c, kNot)}});
      add_words(english_, frame.base, verb);
    } else {
      add_words(english_, tense == Tense::kPast ? frame.past : plural ? frame.base : frame.third, verb);
    }
  }

  void say_mention(const Symbol& symbol) {
    const int index = d_.at(symbol.kind, symbol.clause);
    const Mention& m = d_.mentions[index];
    const Noun& noun = lexicon_.nouns[m.noun];
    const int head = mention_link(index, kHead);
    switch (symbol.kind) {
      case 'R':
      case 'G':
        english_.push_back({"to", {head}});
        break;
      case 'P':
        english_.push_back({noun.preposition, {head}});
        break;
      case 'C':
        english_.push_back({"with", {head, mention_link(index, kPreposition)}});
        break;
      case 'M':
        english_.push_back({"with", {head}});
        break;
      default:
        break;
    }
    auto& positions = positions_[index];
    if (m.antecedent >= 0) {
      positions.push_back(static_cast<int>(english_.size()));
      english_.push_back({pronoun(m, symbol.kind == 'S'), {head}});
      return;
    }
    if (m.second >= 0) {
      english_.push_back({"the", {}});
      positions.push_back(static_cast<int>(english_.size()));
      english_.push_back({noun.english, {head}});
      english_.push_back({"and", {head}});
      english_.push_back({"the", {}});
      positions.push_back(static_cast<int>(english_.size()));
      english_.push_back({lexicon_.nouns[m.second].english, {mention_link(index, kSecond)}});
      return;
    }
    const std::string& word = m.shape.plural ? noun.plural : noun.english;
    const std::string adjective = m.adjective >= 0 ? lexicon_.adjectives[m.adjective].english : "";
    const std::vector<int> article = {mention_link(index, kArticle)};
    switch (m.shape.determiner) {
      case Determiner::kThe:
        english_.push_back({"the", {}});
        break;
      case Determiner::kMy:
        english_.push_back({"my", article});
        break;
      case Determiner::kA: {
        const std::string& next = adjective.empty() ? word : adjective;
        english_.push_back({std::string("aeiou").find(next[0]) != std::string::npos ? "an" : "a", article});
        break;
      }
      case Determiner::kNumber:
        english_.push_back({m.shape.count == 2 ? "two" : "three", {mention_link(index, kCount)}});
        break;
      case Determiner::kBare:
        break;
    }
    if (!adjective.empty()) english_.push_back({adjective, {mention_link(index, kAdjectivePart)}});
    positions.push_back(static_cast<int>(english_.size()));
    english_.push_back({word, {head}});
  }

  [[nodiscard]] std::string pronoun(const Mention& m, bool subject) const {
    if (m.is_plural()) return subject ? "they" : "them";
    if (!lexicon_.nouns[m.noun].person()) return "it";
    if (m.gender == 'm') return subject ? "he" : "him";
    return subject ? "she" : "her";
  }

  // -- Korean ------------------------------------------------------------------------------------------
  void say_korean(const Symbol& symbol) {
    const int c = symbol.clause;
    switch (symbol.kind) {
      case 'L':
        korean_.push_back({symbol.text, {word_link(symbol.text)}});
        return;
      case 'T':
        add_words(korean_, lexicon_.times[d_.clauses[c].time].korean, {kTimeLinks + c});
        return;
      case 'V':
        say_korean_predicate(c, lexicon_.frames[d_.clauses[c].frame].korean, symbol.text, false);
        return;
      case 'N':
        say_korean_predicate(c, lexicon_.frames[d_.clauses[c].frame].korean, symbol.text, true);
        return;
      case 'A':
        say_korean_predicate(c, *lexicon_.adjectives[d_.clauses[c].adjective].predicate, symbol.text, false);
        return;
      default:
        say_korean_mention(symbol);
    }
  }

  void say_korean_predicate(int c, const Predicate& predicate, const std::string& ending, bool negative) {
    const Tense tense = d_.clauses[c].tense;
    const int verb = clause_link(c, kVerb);
    const int auxiliary = clause_link(c, kAuxiliary);
    const std::size_t start = korean_.size();
    if (ending == "ㄴ") {
      add_words(korean_, predicate.adnominal(tense), {verb});
    } else if (ending == "서") {
      add_words(korean_, predicate.infinitive() + "서", {verb});
    } else if (!ending.empty()) {
      add_words(korean_, predicate.connective(tense, ending), {verb});
    } else {
      add_words(korean_, negative ? predicate.negative(tense) : predicate.plain(tense), {verb});
    }
    // "be" goes with the inflected word; "will" with 것이다; "did not" with 않았다.
    const bool future = tense == Tense::kFuture && korean_.back().text == "것이다";
    CHECK(korean_.size() > start, "grammar: no Korean verb");
    if (negative) korean_[korean_.size() - (future ? 2 : 1)].links = {clause_link(c, kNot)};
    if (future)
      korean_.back().links = {auxiliary};
    else
      korean_.back().links.push_back(auxiliary);
  }

  void say_korean_mention(const Symbol& symbol) {
    const int index = d_.at(symbol.kind, symbol.clause);
    const Mention& m = d_.mentions[index];
    switch (symbol.kind) {
      case 'S':
        say_korean_noun(index, symbol.text == "가" || is_indefinite(m) ? Particle::kSubject : Particle::kTopic);
        break;
      case 'O':
        say_korean_noun(index, Particle::kObject);
        break;
      case 'R':
        say_korean_noun(index, Particle::kRecipient);
        break;
      case 'G':
        say_korean_noun(index, d_.has('O', symbol.clause) ? Particle::kToward : Particle::kAt);
        break;
      case 'P':
        say_korean_noun(index, Particle::kIn);
        break;
      case 'C':
        say_korean_noun(index, Particle::kWith);
        korean_.push_back({"함께", {mention_link(index, kPreposition)}});
        break;
      case 'M':
        say_korean_noun(index, Particle::kToward);
        break;
      default:
        CHECK(false, "grammar: unknown slot");
    }
  }

  [[nodiscard]] static bool is_indefinite(const Mention& m) {
    return m.antecedent < 0 && m.second < 0 && m.indefinite();
  }

  void say_korean_noun(int index, Particle particle) {
    const Mention& m = d_.mentions[index];
    const Noun& noun = lexicon_.nouns[m.noun];
    const int head = mention_link(index, kHead);
    const auto add = [&](const std::string& text, Part part) {
      korean_.push_back({text, {mention_link(index, part)}});
    };
    if (m.antecedent >= 0) {
      add_words(korean_, with_particle(korean_pronoun(m), particle), {head});
      return;
    }
    if (m.second >= 0) {
      add(with_particle(noun.korean, Particle::kWith), kHead);
      add(with_particle(lexicon_.nouns[m.second].korean, particle), kSecond);
      return;
    }
    const bool living = noun.person() || noun.is("animal");
    const bool one = m.shape.determiner == Determiner::kA && particle == Particle::kSubject && living;
    if (m.shape.determiner == Determiner::kMy) add("우리", kArticle);
    if (one && noun.person() && m.adjective < 0) add("한", kArticle);
    if (m.adjective >= 0)
      add_words(korean_, lexicon_.adjectives[m.adjective].adnominal(), {mention_link(index, kAdjectivePart)});
    if (m.shape.determiner == Determiner::kNumber || (one && !noun.person())) {
      add(noun.korean, kHead);
      add(m.shape.count == 2 ? "두" : m.shape.count == 3 ? "세" : "한", m.shape.count > 0 ? kCount : kArticle);
      add(with_particle(noun.counter, particle), kHead);
      return;
    }
    add(with_particle(noun.korean + (m.shape.plural && living ? "들" : ""), particle), kHead);
  }

  /// 그, 그녀, 그들, the noun, or 그 and the noun.
  [[nodiscard]] std::string korean_pronoun(const Mention& m) const {
    const Noun& noun = lexicon_.nouns[m.noun];
    const bool plural = m.is_plural();
    if (m.second >= 0) return "그들";
    if (!noun.person() || noun.pronoun == PronounForm::kThat) return "그 " + noun.korean + (plural ? "들" : "");
    if (noun.pronoun == PronounForm::kRepeat) return noun.korean;
    return plural ? "그들" : m.gender == 'm' ? "그" : "그녀";
  }

  const Lexicon& lexicon_;
  const Derivation& d_;
  Tokens english_;
  Tokens korean_;
  std::vector<std::vector<int>> positions_;  ///< of the heads of every mention in the English
  std::vector<std::string> words_;
};

}  // namespace

GrammarPair realize(const Lexicon& lexicon, const Derivation& derivation) {
  return Realizer(lexicon, derivation).realize();
}

}  // namespace dragoman
