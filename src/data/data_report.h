// What a training says about its text before the first update: see docs/specification.md for what is counted.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpus_report.h"

namespace dragoman {

/// Different characters, and a few of them: "é U+00E9, ...".
struct Characters {
  std::size_t count = 0;
  std::string examples;
};

inline constexpr const char* kSideNames[] = {"source", "target"};

/// One side of the training pairs in use.
struct SideReport {
  std::vector<std::size_t> lengths;  ///< [n]: how many have n pieces, without eos
  std::size_t pieces = 0;
  std::size_t unknown = 0;               ///< of the pieces
  Found unknown_lines;                   ///< that have an unknown piece
  Found changed_lines;                   ///< by cleaning
  std::array<std::size_t, 3> changes{};  ///< of them: in spaces, by removed characters, by NFC
  Found mojibake;                        ///< lines that look like UTF-8 encoded twice
  std::size_t characters = 0;
  bool letters = true;       ///< has characters other than digits, spaces and marks of ASCII
  Characters without_piece;  ///< characters that always become unknown
};

/// One side of development or test text.
struct HeldOutSide {
  std::size_t pieces = 0;
  std::size_t unknown = 0;
  std::size_t words = 0;
  std::size_t own_words = 0;    ///< that the same side of the training text has
  std::size_t other_words = 0;  ///< that the other side has
  Found foreign_lines;          ///< with more words of the other side than of their own
  Characters unseen;            ///< characters that the same side of the training text lacks
  Found unseen_lines;           ///< with such a character
};

struct HeldOutReport {
  std::string name;  ///< "development data"
  std::size_t lines = 0;
  Found blank;    ///< with an empty side
  Found pairs;    ///< that are training pairs as well
  Found sources;  ///< whose source is that of a training pair
  Found shared;   ///< of test data: that are development pairs as well
  std::array<HeldOutSide, 2> sides;
};

/// Sides: 0 source, 1 target.
struct DataReport {
  CorpusReport pairs;
  std::string fates;  ///< pairs in words
  std::array<SideReport, 2> sides;
  Found duplicates;   ///< pairs that an earlier one equals
  Found copies;       ///< pairs with the same text on both sides
  Found unreachable;  ///< targets longer than a translation of their source may be (decoding.max_length)
  std::vector<HeldOutReport> held_out;

  /// The whole report, some ten lines; the first begins with `name` and says how many pairs are dropped.
  [[nodiscard]] std::vector<std::string> lines(std::string_view name = "training data") const;
  /// The worst five, and how many more there are: what is beyond a threshold, where it begins and what to do
  /// (data_warnings.cpp).
  [[nodiscard]] std::vector<std::string> warnings() const;
};

/// "3.2 %"; "0 %" for none at all.
[[nodiscard]] std::string percent(std::size_t part, std::size_t whole);

}  // namespace dragoman
