// How BLEU cuts a line into tokens: the tokenizers of sacreBLEU (Post 2018, "A Call for Clarity in Reporting
// BLEU Scores", section 4), written as scanners over bytes or code points.
//
//   none  white space only
//   13a   mteval-v13a.pl of NIST: four entities decoded, ASCII punctuation split off, digits keep . and ,
//   intl  mteval-v14.pl --international-tokenization: Unicode punctuation (not between digits) and symbols
//   char  every character that is not white space is a token
//
// White space means what Python's str.split() means: the Unicode spaces, TAB to CR, U+001C to U+001F, U+0085.
// Text is UTF-8; each malformed sequence counts as U+FFFD in intl, char and lower-casing.
// Limits: categories and case pairs are those of the Unicode version of utf8proc; characters that were added
// or reclassified later are seen differently by a newer sacreBLEU.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

enum class BleuTokenizer { none, v13a, intl, character };

/// "none", "13a", "intl" or "char"; anything else is a UserError that lists them.
[[nodiscard]] BleuTokenizer parse_bleu_tokenizer(std::string_view name);
[[nodiscard]] std::string_view to_string(BleuTokenizer tokenizer);

/// The line with its tokens separated by white space; white space at its end is cut off first. Split the
/// result with split_words(): runs of spaces are not collapsed here.
[[nodiscard]] std::string tokenize_for_bleu(BleuTokenizer tokenizer, std::string_view line);

/// Splits at white space and replaces the content of `words`, which are views into `line`.
void split_words(std::string_view line, std::vector<std::string_view>& words);

/// As Python's str.lower(): the simple lower-case mapping of each character, U+0130 as "i" with a dot above,
/// and a capital sigma at the end of a word as the final sigma.
[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace dragoman
