// What must not change between an interruption and a resume.
#pragma once

#include <string>

#include "config/config.h"
#include "data/corpus.h"
#include "data/tokenizer_pair.h"

namespace dragoman {

/// A hash of the configuration without what may change (threads, limits of the run, logging, decoding), of the
/// training corpus' text and of the tokenizers, in hexadecimal.
std::string training_fingerprint(const Config& config, const Corpus& corpus, const TokenizerPair& tokenizers);

}  // namespace dragoman
