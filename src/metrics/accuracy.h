// Sequence accuracy: the share of lines that equal their reference, byte for byte.
#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman {

struct SequenceAccuracy {
  std::int64_t lines = 0;
  std::int64_t exact = 0;

  void add(std::string_view hypothesis, std::string_view reference) {
    ++lines;
    exact += hypothesis == reference ? 1 : 0;
  }
  /// 0 to 1; 0 without lines.
  [[nodiscard]] double value() const {
    return lines == 0 ? 0 : static_cast<double>(exact) / static_cast<double>(lines);
  }
};

}  // namespace dragoman
