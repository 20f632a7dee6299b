// Training batches, forever, epoch after epoch, made ahead by a thread of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>

#include "core/batch.h"
#include "data/window.h"

namespace dragoman {

/// Where training stands in the data: this is enough to go on exactly.
struct BatchPosition {
  std::uint64_t epoch = 0;
  std::uint64_t window = 0;
  std::uint64_t batch = 0;  ///< within the window

  friend bool operator==(const BatchPosition&, const BatchPosition&) = default;
  /// In the order of training.
  friend bool operator<(const BatchPosition& a, const BatchPosition& b) {
    return std::tie(a.epoch, a.window, a.batch) < std::tie(b.epoch, b.window, b.batch);
  }
};

/// A batch, and what the trainer may want to know with it.
struct TrainingBatch {
  Batch batch;
  BatchPosition after;               ///< where to begin to get the batches that follow
  bool ends_epoch = false;           ///< the last of its epoch
  std::optional<DataReport> report;  ///< of the first epoch, with ends_epoch, when an examiner is given
};

/// The order is that of window.h. Threads and interruptions change nothing: a Batcher begun at `after` of a batch
/// continues with the same batches.
class Batcher {
 public:
  /// `prefetch`: windows made ahead by a thread; 0 makes them in next(), without a thread.
  /// `examiner` (may be null) is shown the pairs of the first epoch, when `start` is in it.
  /// The corpus behind `encoder` must live longer.
  Batcher(PairEncoder encoder, WindowOptions options, BatchPosition start = {}, std::size_t prefetch = 1,
          std::shared_ptr<DataExaminer> examiner = nullptr);
  ~Batcher();
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;

  /// Waits for a window when none is ready. Raises what went wrong in the thread, such as the UserError for a
  /// corpus of which nothing is kept, again at every further call. For one thread only.
  TrainingBatch next();

 private:
  class Source;

  std::unique_ptr<Source> source_;
  Window window_;
  std::uint64_t next_batch_ = 0;  // within window_
  BatchPosition start_;           // batches before it are skipped
};

}  // namespace dragoman
