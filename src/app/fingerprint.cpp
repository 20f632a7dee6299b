#include "app/fingerprint.h"

#include <cstdio>

#include "core/rng.h"

namespace dragoman {

std::string training_fingerprint(const Config& config, const Corpus& corpus, const TokenizerPair& tokenizers) {
  Config fixed = config;
  const Config defaults;
  fixed.threads = defaults.threads;
  fixed.name = defaults.name;
  fixed.decoding = defaults.decoding;
  fixed.data.train = fixed.data.test = {};
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
  std::string source, target;
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    corpus.read(i, source, target);
    hash = hash_key({hash, hash_name(source), hash_name(target)});
  }
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace dragoman
