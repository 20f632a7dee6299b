#include "app/fingerprint.h"

#include <cstdio>
#include <sstream>

#include "core/rng.h"

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

/// The configuration without what may change on resume.
Config without_changeable(Config fixed) {
  const Config defaults;
  // The limit of a run shapes schedules that reach their end there.
  ScheduleOptions& schedule = fixed.training.schedule;
  if ((schedule.type == "linear" || schedule.type == "cosine") && schedule.total == 0) {
    schedule.total = fixed.training.max_updates;
  }
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
  // Checkpoints change nothing unless their mean is validated.
  const CheckpointOptions checkpoints = fixed.training.checkpoints;
  fixed.training.checkpoints = defaults.training.checkpoints;
  if (checkpoints.average_last > 0) {
    fixed.training.checkpoints.average_last = checkpoints.average_last;
    fixed.training.checkpoints.every_updates = checkpoints.every_updates;
  }
  return fixed;
}

}  // namespace

std::string training_fingerprint(const Config& config, const Corpus& train, const Corpus* dev,
                                 const TokenizerPair& tokenizers) {
  std::uint64_t hash = hash_key({hash_name(emit_config(without_changeable(config))),
                                 hash_name(tokenizers.source->serialize()), hash_name(tokenizers.target->serialize())});
  hash = hash_text(hash, train);
  if (dev != nullptr) hash = hash_text(hash, *dev);
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

std::string config_changes(const std::string& stored_path, const Config& config) {
  constexpr std::size_t kShown = 5;
  std::istringstream now(emit_config(without_changeable(config)));
  std::istringstream then(emit_config(without_changeable(load_config(stored_path))));
  std::string text, new_line, old_line;
  for (std::size_t shown = 0; shown < kShown && std::getline(now, new_line) && std::getline(then, old_line);) {
    if (new_line == old_line) continue;
    text.append(shown++ > 0 ? "; " : "").append("now \"").append(new_line).append("\", then \"").append(old_line) +=
        '"';
  }
  return text;
}

}  // namespace dragoman
