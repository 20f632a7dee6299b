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

/// UserError when the latest checkpoint of the model directory is of another training: says what differs (of the
/// configuration: which keys) and the ways on. Also when the best model is absent, or a checkpoint that average_last
/// needs.
void check_resumable(const std::filesystem::path& model_dir, const Fingerprint& now, const Config& config);

}  // namespace dragoman
