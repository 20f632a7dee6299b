// What must not change between an interruption and a resume.
#pragma once

#include <string>

#include "config/config.h"
#include "data/corpus.h"
#include "data/tokenizer_pair.h"

namespace dragoman {

/// A hash of the configuration without what may change (threads, limits of the run, logging, paths), of the
/// text of the training and development (may be null) corpora and of the tokenizers, in hexadecimal.
std::string training_fingerprint(const Config& config, const Corpus& train, const Corpus* dev,
                                 const TokenizerPair& tokenizers);

/// How the configuration differs from a stored one, for people: the first lines that do; empty if none does.
std::string config_changes(const std::string& stored_path, const Config& config);

}  // namespace dragoman
