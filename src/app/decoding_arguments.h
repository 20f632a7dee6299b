// Command-line options that override the `decoding` section of a model's configuration.
#pragma once

#include <optional>
#include <string>

#include "config/config.h"

namespace CLI {
class App;
}

namespace dragoman {

struct DecodingArguments {
  std::optional<Index> beam_size;
  std::optional<double> length_penalty;
  std::optional<std::string> precision;
  bool replace_unknown = false;

  void add_to(CLI::App& command);
  /// The decoding options of a model's configuration, changed. Warns when bfloat16 has to be emulated. UserError: not
  /// with this model.
  [[nodiscard]] DecodeOptions apply(const Config& config) const;
};

}  // namespace dragoman
