// Command-line options that override the `decoding` section of a model's configuration.
#pragma once

#include <optional>
#include <string>

#include "decode/decode_options.h"

namespace CLI {
class App;
}

namespace dragoman {

struct DecodingArguments {
  std::optional<Index> beam_size;
  std::optional<double> length_penalty;
  std::optional<std::string> precision;

  void add_to(CLI::App& command);
  /// Warns when bfloat16 has to be emulated. UserError: out of range.
  [[nodiscard]] DecodeOptions apply(DecodeOptions options) const;
};

}  // namespace dragoman
