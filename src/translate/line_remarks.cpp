#include "translate/line_remarks.h"

#include <algorithm>

#include "data/text_check.h"

namespace DRAGOMAN_NAMESPACE {

std::string list_lines(const std::vector<std::size_t>& lines) {
  constexpr std::size_t kShown = 10;
  std::string text = lines.size() == 1 ? "line " : std::to_string(lines.size()) + " lines (";
  for (std::size_t i = 0; i < std::min(lines.size(), kShown); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(lines[i]);
  }
  if (lines.size() > kShown) text += ", ...";
  return lines.size() == 1 ? text : text + ")";
}

std::vector<std::string> describe(const LineRemarks& remarks, const RemarkLimits& limits) {
  std::vector<std::string> sentences;
  if (!remarks.bad_utf8.empty()) {
    const std::string encoding = dragoman::describe(remarks.encoding);
    sentences.push_back("invalid UTF-8 replaced by U+FFFD in " + list_lines(remarks.bad_utf8) +
                        (encoding.empty() ? "" : "; " + encoding));
  }
  if (!remarks.cut.empty()) {
    const std::string key = limits.input_positions ? "model.encoder.max_positions" : "decoding.max_input";
    sentences.push_back("cut at " + std::to_string(limits.max_input) + " pieces (" + key +
                        "): " + list_lines(remarks.cut));
  }
  if (!remarks.unknown.empty()) {
    sentences.push_back("source pieces that the vocabulary does not have: " + std::to_string(remarks.unknown_pieces) +
                        ", in " + list_lines(remarks.unknown));
  }
  if (!remarks.ended.empty()) {
    sentences.push_back("translations cut at the longest length allowed (decoding.max_length" +
                        std::string(limits.target_positions ? ", model.decoder.max_positions" : "") +
                        "): " + list_lines(remarks.ended));
  }
  if (!remarks.few.empty()) {
    sentences.push_back("fewer than " + std::to_string(limits.n_best) + " different translations of " +
                        list_lines(remarks.few));
  }
  return sentences;
}

}  // namespace DRAGOMAN_NAMESPACE
