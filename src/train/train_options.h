// The plain structs behind the `training:` section of a configuration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/real.h"

namespace dragoman {

struct OptimizerOptions {
  std::string type = "adam";  ///< sgd | adam | adamw
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double momentum = 0;      ///< sgd
  double weight_decay = 0;  ///< adamw: decoupled; biases and norms are left alone
};

struct ScheduleOptions {
  std::string type = "constant";  ///< constant | inverse_sqrt | linear | cosine | plateau
  std::int64_t warmup = 0;        ///< updates of linear warm-up to learning_rate (any schedule)
  std::int64_t total = 0;         ///< linear, cosine: updates until the end; 0: max_updates
  double final_factor = 0;        ///< linear, cosine: learning rate at the end, as a share of learning_rate
  double factor = 0.5;            ///< plateau: multiply by this
  std::int64_t patience = 1;      ///< plateau: after so many validations without improvement
};

struct EarlyStoppingOptions {
  std::string metric = "perplexity";  ///< loss | perplexity | accuracy | sequence_accuracy | bleu
  std::int64_t patience = 0;          ///< validations without improvement; 0: never stop early
};

struct ValidationOptions {
  std::int64_t every_updates = 0;  ///< 0: by epochs
  std::int64_t every_epochs = 1;
  bool at_start = false;
  std::vector<std::string> metrics = {"loss", "perplexity", "accuracy", "bleu"};
  std::string tokenize = "13a";  ///< BLEU: 13a | none | char | intl
  bool lowercase = false;
  Index beam_size = 1;
  EarlyStoppingOptions early_stopping;
};

struct CheckpointOptions {
  std::int64_t every_updates = 0;  ///< 0: at each validation
  std::int64_t keep = 3;           ///< scheduled checkpoints kept beside the best
  std::int64_t average_last = 0;   ///< validate and save the mean of so many; 0: the current weights
};

struct TrainOptions {
  std::string model_dir;         ///< empty: models/NAME
  std::string init_from;         ///< a model directory or model.safetensors
  Index batch_tokens = 2048;     ///< labels in a micro-batch, at most
  Index accumulate = 1;          ///< micro-batches an update
  std::int64_t max_updates = 0;  ///< 0: no limit
  std::int64_t max_epochs = 10;  ///< 0: no limit
  OptimizerOptions optimizer;
  ScheduleOptions schedule;
  double clip_norm = 1.0;  ///< 0: off
  double label_smoothing = 0.1;
  double ema = 0;                      ///< decay of the moving average of the weights; 0: off
  Index shards = 4;                    ///< a power of two
  Index piece_tokens = 0;              ///< tokens a shard processes at a time (or one sentence); 0: all that it has
  std::string precision = "float32";   ///< of products with weights: float32 | bfloat16
  Index window = 20000;                ///< lines shuffled, sorted and batched together
  std::string on_divergence = "stop";  ///< stop | skip | rollback
  std::int64_t log_every = 100;        ///< updates between log lines
  ValidationOptions validation;
  CheckpointOptions checkpoints;
};

}  // namespace dragoman
