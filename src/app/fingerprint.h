// What must not change between an interruption and a resume.
#pragma once

#include <filesystem>

#include "config/config.h"
#include "data/corpus.h"
#include "data/tokenizer_pair.h"
#include "train/checkpoint.h"

namespace dragoman {

/// Hashes, in hexadecimal, of "the configuration" (without what may change: name, threads, limits of the run,
/// logging, checkpoints, on_divergence, beam and batches of decoding, paths), of the text of "data.train" and
/// "data.dev" (may be null), and of "the tokenizer".
Fingerprint training_fingerprint(const Config& config, const Corpus& train, const Corpus* dev,
                                 const TokenizerPair& tokenizers);

/// The names of the hashes that are others now, of the configuration also which keys. Empty: none.
std::string what_differs(const std::filesystem::path& model_dir, const Fingerprint& then, const Fingerprint& now,
                         const Config& config);

}  // namespace dragoman
