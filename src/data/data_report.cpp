#include "data/data_report.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace dragoman {

namespace {

constexpr std::size_t kLimits[] = {5, 10, 20, 40, 80, 160};  // the longest of each column but the last
constexpr std::size_t kColumns = std::size(kLimits) + 1;

std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

/// Of the table: empty ones shall not catch the eye.
std::string cell(std::size_t part, std::size_t whole) { return right(part == 0 ? "-" : percent(part, whole), 9); }

/// "3 word (first: a.en:2)".
std::string counted(const Found& found, const std::string& words) {
  return std::to_string(found.count) + " " + words + (found.count > 0 ? " (first: " + found.first + ")" : "");
}

std::string counted(const Characters& characters) {
  return std::to_string(characters.count) + (characters.count > 0 ? " (" + characters.examples + ")" : "");
}

std::array<std::size_t, kColumns> histogram(const std::vector<std::size_t>& lengths) {
  std::array<std::size_t, kColumns> columns{};
  for (std::size_t n = 0; n < lengths.size(); ++n) {
    columns[std::lower_bound(std::begin(kLimits), std::end(kLimits), n) - std::begin(kLimits)] += lengths[n];
  }
  return columns;
}

/// The shortest length that `share` of the lines don't exceed.
std::size_t quantile(const std::vector<std::size_t>& lengths, double share) {
  const auto all = static_cast<double>(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}));
  std::size_t n = 0;
  for (std::size_t sum = 0; n < lengths.size(); ++n) {
    sum += lengths[n];
    if (static_cast<double>(sum) >= share * all) break;
  }
  return n;
}

std::string length_head() {
  std::string text = "  pieces    ";
  std::size_t from = 1;
  for (const std::size_t limit : kLimits) {
    text += right(std::to_string(from) + "-" + std::to_string(limit), 9);
    from = limit + 1;
  }
  return text + right(">" + std::to_string(from - 1), 9) + "   median  95 % to  longest  unknown";
}

std::string length_row(const char* name, const SideReport& side, std::size_t kept) {
  std::string text = std::string("    ") + name + "  ";
  for (const std::size_t count : histogram(side.lengths)) text += cell(count, kept);
  for (const double share : {0.5, 0.95, 1.0}) text += right(std::to_string(quantile(side.lengths, share)), 9);
  return text + cell(side.unknown, side.pieces);
}

/// "name: A source, B target".
template <class Text>
std::string both(const char* name, Text text) {
  return std::string(name) + " " + text(0) + " source, " + text(1) + " target";
}

/// "2 source lines (first: a.en:1, 4; spaces 1, removed characters 1, NFC 0)".
std::string changed(const SideReport& side, const char* name) {
  const std::string lines = std::to_string(side.changed_lines.count) + " " + name + " lines";
  if (side.changed_lines.count == 0) return lines;
  return lines + " (first: " + side.changed_lines.first + "; spaces " + std::to_string(side.changes[0]) +
         ", removed characters " + std::to_string(side.changes[1]) + ", NFC " + std::to_string(side.changes[2]) + ")";
}

void append(std::vector<std::string>& lines, const HeldOutReport& report, const char* where) {
  const auto& sides = report.sides;
  lines.push_back("  " + report.name + ": " + std::to_string(report.lines) + " lines" +
                  (report.blank.count > 0 ? ", " + counted(report.blank, "with an empty side") : "") + "; " + where +
                  ": " + counted(report.pairs, "as pairs") + ", " + counted(report.sources, "by their source") +
                  (report.shared.count > 0 ? "; in development data: " + counted(report.shared, "as pairs") : ""));
  lines.push_back("    " + both("words", [&](int i) { return percent(sides[i].own_words, sides[i].words); }) + " " +
                  where + "; " +
                  both("unknown pieces", [&](int i) { return percent(sides[i].unknown, sides[i].pieces); }) + "; " +
                  both("characters not there:", [&](int i) { return counted(sides[i].unseen); }));
}

}  // namespace

std::string percent(std::size_t part, std::size_t whole) {
  if (part == 0) return "0 %";
  char text[40];
  std::snprintf(text, sizeof text, "%.1f %%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

std::vector<std::string> DataReport::lines(std::string_view name) const {
  std::vector<std::string> lines = {std::string(name) + ": " + fates, length_head()};
  for (int i = 0; i < 2; ++i) lines.push_back(length_row(kSideNames[i], sides[i], pairs.kept));
  lines.push_back(
      "  pairs: " + counted(duplicates, "repeat an earlier one") + ", " +
      counted(copies, "with the same text on both sides") +
      (unreachable.count > 0 ? ", " + counted(unreachable, "with a target beyond decoding.max_length") : ""));
  lines.push_back("  " + both("characters:", [&](int i) { return std::to_string(sides[i].characters); }) + "; " +
                  both("without a piece:", [&](int i) { return counted(sides[i].without_piece); }));
  lines.push_back("  cleaning changed " + changed(sides[0], kSideNames[0]) + ", " + changed(sides[1], kSideNames[1]));
  for (const HeldOutReport& report : held_out) append(lines, report, pairs.sampled ? "in the sample" : "in training");
  return lines;
}

}  // namespace dragoman
