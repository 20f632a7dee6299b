#include "app/fingerprint.h"

#include <cstdio>
#include <sstream>

#include "core/rng.h"
#include "io/line_reader.h"

namespace dragoman {

namespace {

std::uint64_t hash_text(std::uint64_t hash, const Corpus& corpus) {
  std::string source, target;
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    corpus.read(i, source, target);
    hash = hash_key({hash, hash_name(source), hash_name(target)});
  }
  return hash;
}

}  // namespace

std::string training_fingerprint(const Config& config, const Corpus& train, const Corpus* dev,
                                 const TokenizerPair& tokenizers) {
  Config fixed = config;
  const Config defaults;
  fixed.threads = defaults.threads;
  fixed.name = defaults.name;
  // Validation uses the other decoding settings, with a beam of its own.
  fixed.decoding.beam_size = defaults.decoding.beam_size;
  fixed.decoding.batch_sentences = defaults.decoding.batch_sentences;
  fixed.data.train = fixed.data.dev = fixed.data.test = {};
  fixed.training.init_from.clear();
  fixed.training.model_dir.clear();
  fixed.training.max_updates = defaults.training.max_updates;
  fixed.training.max_epochs = defaults.training.max_epochs;
  fixed.training.log_every = defaults.training.log_every;
  fixed.training.checkpoints = defaults.training.checkpoints;
  // The limit of a run shapes schedules that reach their end there.
  const ScheduleOptions& schedule = config.training.schedule;
  if ((schedule.type == "linear" || schedule.type == "cosine") && schedule.total == 0) {
    fixed.training.schedule.total = config.training.max_updates;
  }
  std::uint64_t hash = hash_key({hash_name(emit_config(fixed)), hash_name(tokenizers.source->serialize()),
                                 hash_name(tokenizers.target->serialize())});
  hash = hash_text(hash, train);
  if (dev != nullptr) hash = hash_text(hash, *dev);
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

std::string config_changes(const std::string& stored_path, const Config& config) {
  constexpr std::size_t kShown = 5;
  std::istringstream now(emit_config(config));
  std::string text, line;
  std::size_t shown = 0;
  for (const std::string& then : read_lines(stored_path)) {
    if (!std::getline(now, line) || shown == kShown) break;
    if (line == then) continue;
    text += (shown++ > 0 ? "; " : "") + ("now \"" + line + "\", then \"" + then + "\"");
  }
  return text;
}

}  // namespace dragoman
