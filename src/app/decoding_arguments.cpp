#include "app/decoding_arguments.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "app/cpu.h"
#include "app/options.h"
#include "core/error.h"

namespace dragoman {

void DecodingArguments::add_to(CLI::App& command) {
  add_value(command, "--beam-size", beam_size, allowed_of("decoding.beam_size"),
            "Hypotheses kept a sentence (1: greedy); default: decoding.beam_size");
  add_value(command, "--length-penalty", length_penalty, allowed_of("decoding.length_penalty.alpha"),
            "Exponent of the length penalty; default: decoding.length_penalty.alpha");
  add_value(command, "--precision", precision, allowed_of("decoding.precision"),
            "float32 or bfloat16; default: decoding.precision");
  command.add_flag(
      "--replace-unknown", replace_unknown,
      "Allow unknown pieces (words, with tokenizer.type word), and write what the decoder attends to in their "
      "place");
}

DecodeOptions DecodingArguments::apply(const Config& config) const {
  DecodeOptions options = config.decoding;
  if (beam_size) options.beam_size = *beam_size;
  if (length_penalty) {
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
  if (precision) options.precision = *precision;
  if (const std::string warning =
          emulation_warning(precision ? "--precision" : "decoding.precision", options.precision);
      !warning.empty()) {
    std::fprintf(stderr, "dragoman: warning: %s\n", warning.c_str());
  }
  return options;
}

}  // namespace dragoman
