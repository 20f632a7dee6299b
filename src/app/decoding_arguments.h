// Command-line options that override the `decoding` section of a model's configuration.
#pragma once

#include <optional>

#include "decode/decode_options.h"

namespace CLI {
class App;
}

namespace dragoman {

struct DecodingArguments {
  std::optional<Index> beam_size;
  std::optional<double> length_penalty;

  void add_to(CLI::App& command);
  /// UserError: out of range.
  [[nodiscard]] DecodeOptions apply(DecodeOptions options) const;
};

}  // namespace dragoman
