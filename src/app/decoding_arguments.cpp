#include "app/decoding_arguments.h"
#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdio>

#include "app/cpu.h"
#include "core/error.h"

namespace dragoman {

void DecodingArguments::add_to(CLI::App& command) {
  command.add_option("--beam-size", beam_size, "Hypotheses kept a sentence (1: greedy); default: decoding.beam_size");
  command.add_option("--length-penalty", length_penalty,
                     "Exponent of the length penalty; default: decoding.length_penalty.alpha");
  command.add_option("--precision", precision, "float32 or bfloat16; default: decoding.precision");
  command.add_flag("--replace-unknown", replace_unknown,
                   "Allow unknown words, and write the source word that the decoder attends to in their place");
}

DecodeOptions DecodingArguments::apply(const Config& config) const {
  DecodeOptions options = config.decoding;
  if (beam_size) {
    if (*beam_size < 1 || *beam_size > 1000) {
      throw UserError("--beam-size: found " + std::to_string(*beam_size) + ", expected 1 to 1000");
    }
    options.beam_size = *beam_size;
  }
  if (length_penalty) {
    if (!std::isfinite(*length_penalty) || *length_penalty < 0) {
      throw UserError("--length-penalty: expected a number of at least 0");
    }
    if (options.length_penalty == "none") options.length_penalty = "average";
    options.alpha = *length_penalty;
  }
  if (replace_unknown) {
    if (!config.model.decoder.attends()) {
      throw UserError(
          "--replace-unknown: this model has no attention (model.decoder.attention.score none), which would say which "
          "source word to write; translate without it");
    }
    options.allow_unknown = options.replace_unknown = true;
  }
  if (precision) {
    if (*precision != "float32" && *precision != "bfloat16") {
      throw UserError("--precision: found \"" + *precision + "\", expected float32 or bfloat16");
    }
    options.precision = *precision;
  }
  if (const std::string warning =
          emulation_warning(precision ? "--precision" : "decoding.precision", options.precision);
      !warning.empty()) {
    std::fprintf(stderr, "dragoman: warning: %s\n", warning.c_str());
  }
  return options;
}

}  // namespace dragoman
