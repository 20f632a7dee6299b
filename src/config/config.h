// A whole configuration: the plain structs of all sections. This folder is the only one that sees yaml-cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/data_options.h"
#include "decode/decode_options.h"
#include "models/model_config.h"
#include "train/train_options.h"

namespace dragoman {

struct Config {
  std::string name = "model";
  std::uint64_t seed = 1;
  int threads = 0;  ///< 0: as many as there are processors to use
  DataOptions data;
  TokenizerOptions tokenizer;
  ModelConfig model;
  TrainOptions training;
  DecodeOptions decoding;
};

/// May the files that a configuration names (data, tokenizer models, init_from) be missing? Training needs them; a
/// model directory that was moved, or a look at a configuration, does not.
enum class Files { must_exist, may_be_missing };

/// Reads `path`, applies the overrides ("training.batch_tokens=512", YAML values) and checks everything.
/// Throws UserError that names every problem: file, line, key, found, expected, nearest known key. `warnings` gets, in
/// the same form, what works but may not be what was meant.
Config load_config(const std::string& path, const std::vector<std::string>& overrides = {},
                   Files files = Files::may_be_missing, std::vector<std::string>* warnings = nullptr);

/// The same from text; `origin` stands for the file name in messages.
Config parse_config(const std::string& text, const std::string& origin, const std::vector<std::string>& overrides = {},
                    Files files = Files::may_be_missing, std::vector<std::string>* warnings = nullptr);

/// Of a training that goes on, in the directory `model_dir` (empty: training.model_dir, or else models/NAME). Only the
/// text must exist: tokenizers, and the keys that it has from its init_from, are taken from that directory.
Config load_resumed_config(const std::string& path, const std::vector<std::string>& overrides,
                           const std::string& model_dir, std::vector<std::string>* warnings);

/// Where a training writes: training.model_dir, or models/NAME.
std::string model_dir_of(const Config& config);

/// The resolved configuration as YAML: every key with its value; loads again to the same values.
std::string emit_config(const Config& config);

/// Only what differs from the defaults (and the name); loads again to the same values, too.
std::string emit_changes(const Config& config);

/// configs/reference.yaml: every key with its default and its sentence as a comment.
std::string reference_yaml();

/// docs/configuration.md, from the same table.
std::string configuration_markdown();

}  // namespace dragoman
