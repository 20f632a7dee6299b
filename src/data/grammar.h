// English sentences with their Korean translations, drawn from a small synchronous grammar with known word
// alignments and antecedents of pronouns. The grammar itself is data/grammar.txt, built into the program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/real.h"
#include "core/rng.h"
#include "data/grammar_lexicon.h"

namespace dragoman {

/// Positions of white-space words, from 0.
using WordPair = std::pair<int, int>;

struct GrammarPair {
  std::string source;  ///< English
  std::string target;  ///< Korean
  /// (source, target), ascending. English articles have no link, except "a" where the Korean says 한; nor have
  /// commas, nor a Korean period within an English sentence. Every other word has one.
  std::vector<WordPair> alignment;
  /// (pronoun, antecedent) in the source, ascending; "they" has a pair for each of two nouns joined by "and".
  std::vector<WordPair> antecedents;
};

class Grammar {
 public:
  /// Parses a grammar; `file` names it in messages. Throws UserError.
  Grammar(std::string_view text, const std::string& file);
  /// The grammar built into the program.
  static const Grammar& embedded();

  [[nodiscard]] GrammarPair draw(Rng& rng) const;
  /// How many different English sentences the rule "S1 V1 O1 [P1] [T1] ." alone makes: a lower bound.
  [[nodiscard]] std::uint64_t count_simple_sentences() const;
  [[nodiscard]] const Lexicon& lexicon() const { return lexicon_; }

 private:
  Lexicon lexicon_;
  double total_weight_ = 0;
};

struct GrammarOptions {
  Index train = 20000;
  Index dev = 500;
  Index test = 500;
  std::uint64_t seed = 1;
};

struct GrammarCorpus {
  std::vector<GrammarPair> train;
  std::vector<GrammarPair> dev;
  std::vector<GrammarPair> test;
};

/// Draws test, then dev, all sources distinct, then train, which has none of them (but may repeat its own).
GrammarCorpus make_grammar_corpus(const Grammar& grammar, const GrammarOptions& options);

/// "0-1 2-0": pairs in the form of Pharaoh, of .align and .coref files.
std::string format_pairs(const std::vector<WordPair>& pairs);

/// The text of data/grammar.txt.
std::string_view embedded_grammar_text();

}  // namespace dragoman
