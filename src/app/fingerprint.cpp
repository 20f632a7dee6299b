#include "app/fingerprint.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

#include "config/key_table.h"
#include "config/values.h"
#include "core/rng.h"
#include "train/schedule_shapes.h"

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
  if (schedule_shapes().at(schedule.type).has_end && schedule.total == 0) {
    schedule.total = fixed.training.max_updates;
  }
  fixed.threads = defaults.threads;
  fixed.name = defaults.name;
  // Validation uses the other decoding settings, with a beam of its own.
  fixed.decoding.beam_size = defaults.decoding.beam_size;
  fixed.decoding.batch_sentences = defaults.decoding.batch_sentences;
  fixed.data.train = fixed.data.dev = fixed.data.test = {};
  // Where they were: what they held is in the model directory, and compared by itself.
  fixed.tokenizer.model_file.clear();
  fixed.tokenizer.target_model_file.clear();
  fixed.training.init_from.clear();
  fixed.training.model_dir.clear();
  fixed.training.max_updates = defaults.training.max_updates;
  fixed.training.max_epochs = defaults.training.max_epochs;
  fixed.training.log_every = defaults.training.log_every;
  fixed.training.on_divergence = defaults.training.on_divergence;
  // Checkpoints change nothing unless their mean is validated.
  const CheckpointOptions checkpoints = fixed.training.checkpoints;
  fixed.training.checkpoints = defaults.training.checkpoints;
  if (checkpoints.average_last > 0) {
    fixed.training.checkpoints.average_last = checkpoints.average_last;
    fixed.training.checkpoints.every_updates = checkpoints.every_updates;
  }
  return fixed;
}

std::string hexadecimal(std::uint64_t hash) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

/// "training.label_smoothing: 0.3 now, 0.1 then", the first few of them.
std::string changed_keys(Config then, Config now) {
  constexpr std::size_t kShown = 5;
  const KeyTable old_keys(then), new_keys(now);
  std::string text;
  std::size_t changes = 0;
  for (std::size_t i = 0; i < new_keys.keys().size(); ++i) {
    const std::string is = write_value(new_keys.keys()[i]), was = write_value(old_keys.keys()[i]);
    if (is == was || ++changes > kShown) continue;
    text.append(changes > 1 ? "; " : "").append(new_keys.keys()[i].path).append(": ").append(is).append(" now, ");
    text.append(was).append(" then");
  }
  return text + (changes > kShown ? "; and " + std::to_string(changes - kShown) + " others" : "");
}

}  // namespace

Fingerprint training_fingerprint(const Config& config, const Corpus& train, const Corpus* dev,
                                 const TokenizerPair& tokenizers) {
  return {
      {"the configuration", hexadecimal(hash_name(emit_config(without_changeable(config))))},
      {"data.train", hexadecimal(hash_text(0, train))},
      {"data.dev", dev == nullptr ? "none" : hexadecimal(hash_text(0, *dev))},
      {"the tokenizer",
       hexadecimal(hash_key({hash_name(tokenizers.source->serialize()), hash_name(tokenizers.target->serialize())}))}};
}

std::string what_differs(const std::filesystem::path& model_dir, const Fingerprint& then, const Fingerprint& now,
                         const Config& config) {
  std::string differing;
  for (const auto& [name, hash] : now) {
    const auto old = then.find(name);
    if (old != then.end() && old->second == hash) continue;
    differing += (differing.empty() ? "" : ", ") + name;
    const std::filesystem::path stored = model_dir / "config.yaml";
    if (name != "the configuration" || !std::filesystem::exists(stored)) continue;
    const std::string keys = changed_keys(without_changeable(load_config(stored.string())), without_changeable(config));
    if (!keys.empty()) differing += " (" + keys + ")";
  }
  return differing;
}

}  // namespace dragoman
