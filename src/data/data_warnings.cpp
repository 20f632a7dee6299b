// Which numbers of a data report deserve a warning.
#include <cmath>

#include "data/data_report.h"

namespace dragoman {

namespace {

// Shares from which on they do.
constexpr double kDropped = 0.10;
constexpr double kUnknown = 0.01;     // of the pieces of a side
constexpr double kDuplicates = 0.10;  // of the pairs in use
constexpr double kCopies = 0.02;
constexpr double kBlank = 0.01;           // of development or test lines
constexpr double kHeldOutPairs = 0.01;    // of development or test lines
constexpr double kHeldOutSources = 0.05;  // the same source may well have another translation
constexpr double kUnseen = 0.01;          // lines with a character that training lacks
constexpr double kMojibake = 0.01;        // of the lines of a side
constexpr double kUnreachable = 0.01;     // of the pairs in use
constexpr double kForeign = 0.10;         // by how much more words of the other side are known
constexpr std::size_t kMaxWarnings = 5;

using Warnings = std::vector<std::string>;

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

bool reaches(std::size_t part, std::size_t whole, double threshold) {
  return part > 0 && share(part, whole) >= threshold;
}

/// "3 of 10 WHAT (30.0 %; warned from 10 %; first: a.en:2)".
std::string numbers(std::size_t part, std::size_t whole, const std::string& what, double threshold,
                    const std::string& first) {
  return std::to_string(part) + " of " + std::to_string(whole) + " " + what + " (" + percent(part, whole) +
         "; warned from " + std::to_string(std::lround(100 * threshold)) + " %; first: " + first + ")";
}

bool is_foreign(const HeldOutSide& side) {
  const auto more = static_cast<double>(side.other_words) - static_cast<double>(side.own_words);
  return more > 0 && more >= kForeign * static_cast<double>(side.words);
}

std::string side_warning(const HeldOutReport& report, int i, bool both) {
  const HeldOutSide& side = report.sides[i];
  const std::string name = kSideNames[i];
  const std::string other = kSideNames[1 - i];
  return report.name + ": " + (both ? "source and target look swapped" : name + " looks like " + other) + ": of its " +
         name + " words the training " + other + " has " + percent(side.other_words, side.words) + ", the training " +
         name + " " + percent(side.own_words, side.words) +
         " (warned from 10 points; first: " + side.foreign_lines.first + "); check which file is which";
}

void warn_of_sides(const HeldOutReport& report, Warnings& warnings) {
  const bool both = is_foreign(report.sides[0]) && is_foreign(report.sides[1]);
  for (int i = 0; i < (both ? 1 : 2); ++i) {
    if (is_foreign(report.sides[i])) warnings.push_back(side_warning(report, i, both));
  }
}

void warn_of_blank(const HeldOutReport& report, Warnings& warnings) {
  if (!reaches(report.blank.count, report.lines, kBlank)) return;
  warnings.push_back(report.name + ": " +
                     numbers(report.blank.count, report.lines, "lines have an empty side", kBlank, report.blank.first) +
                     "; they count in every metric: remove the pairs");
}

void warn_of_overlap(const HeldOutReport& report, Warnings& warnings) {
  const bool pairs = reaches(report.pairs.count, report.lines, kHeldOutPairs);
  if (!pairs && !reaches(report.sources.count, report.lines, kHeldOutSources)) return;
  const Found& found = pairs ? report.pairs : report.sources;
  warnings.push_back(report.name + ": " +
                     numbers(found.count, report.lines, pairs ? "lines are training pairs" : "sources are in training",
                             pairs ? kHeldOutPairs : kHeldOutSources, found.first) +
                     "; its scores will be too good: remove them from the training data");
}

void warn_of_shared(const HeldOutReport& report, Warnings& warnings) {
  if (!reaches(report.shared.count, report.lines, kHeldOutPairs)) return;
  warnings.push_back(
      report.name + ": " +
      numbers(report.shared.count, report.lines, "lines are development pairs", kHeldOutPairs, report.shared.first) +
      "; the best model is chosen by them, so its scores will be too good: remove them from either");
}

std::string unseen_warning(const HeldOutReport& report, int i) {
  const HeldOutSide& side = report.sides[i];
  const std::string what =
      std::string(kSideNames[i]) + " lines have characters that the training " + kSideNames[i] + " lacks";
  return report.name + ": " + numbers(side.unseen_lines.count, report.lines, what, kUnseen, side.unseen_lines.first) +
         ": " + side.unseen.examples +
         "; the model can't learn them: write both texts the same way, or add training text " + "that has them";
}

void warn_of_unseen(const HeldOutReport& report, Warnings& warnings) {
  for (int i = 0; i < 2; ++i) {
    const HeldOutSide& side = report.sides[i];
    if (is_foreign(side) || !reaches(side.unseen_lines.count, report.lines, kUnseen)) continue;
    warnings.push_back(unseen_warning(report, i));
  }
}

void warn_of_pairs(const DataReport& report, Warnings& warnings) {
  const std::size_t kept = report.pairs.kept;
  // Lines of numerals repeat, and are the same on both sides, by their nature.
  const bool numerals = !report.sides[0].letters && !report.sides[1].letters;
  if (!numerals && reaches(report.copies.count, kept, kCopies)) {
    warnings.push_back(
        "training data: " +
        numbers(report.copies.count, kept, "pairs have the same text on both sides", kCopies, report.copies.first) +
        "; remove untranslated lines, unless the task is to copy");
  }
  if (reaches(report.pairs.total_dropped(), report.pairs.lines, kDropped)) {
    warnings.push_back("training data: " + report.fates + " (" +
                       percent(report.pairs.total_dropped(), report.pairs.lines) +
                       "; warned from 10 %); repair the files, or set data.max_length and data.on_long");
  }
  if (!numerals && reaches(report.duplicates.count, kept, kDuplicates)) {
    warnings.push_back(
        "training data: " +
        numbers(report.duplicates.count, kept, "pairs repeat an earlier one", kDuplicates, report.duplicates.first) +
        "; remove them, unless they shall weigh more");
  }
}

void warn_of_mojibake(const DataReport& report, Warnings& warnings) {
  for (int i = 0; i < 2; ++i) {
    const Found& found = report.sides[i].mojibake;
    if (!reaches(found.count, report.pairs.kept, kMojibake)) continue;
    const std::string what = std::string(kSideNames[i]) + " lines look like UTF-8 encoded twice";
    warnings.push_back("training data: " + numbers(found.count, report.pairs.kept, what, kMojibake, found.first) +
                       ": they have \u00C3\u00A9 for \u00E9 and the like, from UTF-8 read as cp1252; repair the file "
                       "(iconv -f UTF-8 -t CP1252)");
  }
}

void warn_of_unreachable(const DataReport& report, Warnings& warnings) {
  if (!reaches(report.unreachable.count, report.pairs.kept, kUnreachable)) return;
  warnings.push_back("training data: " +
                     numbers(report.unreachable.count, report.pairs.kept,
                             "targets are longer than a translation of their source may be", kUnreachable,
                             report.unreachable.first) +
                     "; raise decoding.max_length.factor or extra, or remove the pairs");
}

std::string unknown_warning(const SideReport& side, const char* name) {
  const std::string what = std::string(name) + " pieces are unknown";
  return "training data: " + numbers(side.unknown, side.pieces, what, kUnknown, side.unknown_lines.first) +
         "; raise tokenizer.vocab_size or character_coverage, or lower min_frequency" +
         (side.without_piece.count > 0 ? "; characters without a piece: " + side.without_piece.examples : "");
}

void warn_of_unknown(const DataReport& report, Warnings& warnings) {
  for (int i = 0; i < 2; ++i) {
    const SideReport& side = report.sides[i];
    if (reaches(side.unknown, side.pieces, kUnknown)) warnings.push_back(unknown_warning(side, kSideNames[i]));
  }
}

}  // namespace

std::vector<std::string> DataReport::warnings() const {
  Warnings warnings;
  for (const HeldOutReport& report : held_out) warn_of_sides(report, warnings);
  for (const HeldOutReport& report : held_out) warn_of_overlap(report, warnings);
  for (const HeldOutReport& report : held_out) warn_of_shared(report, warnings);
  for (const HeldOutReport& report : held_out) warn_of_blank(report, warnings);
  warn_of_mojibake(*this, warnings);
  warn_of_pairs(*this, warnings);
  warn_of_unreachable(*this, warnings);
  warn_of_unknown(*this, warnings);
  // A sample lacks characters that the rest may have.
  if (!pairs.sampled) {
    for (const HeldOutReport& report : held_out) warn_of_unseen(report, warnings);
  }
  if (warnings.size() > kMaxWarnings) {
    const std::size_t more = warnings.size() - kMaxWarnings;
    warnings.resize(kMaxWarnings);
    warnings.push_back(std::to_string(more) + (more == 1 ? " more warning" : " more warnings") +
                       " about the data left out; the report has the figures");
  }
  return warnings;
}

}  // namespace dragoman
