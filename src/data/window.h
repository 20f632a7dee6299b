// The order of training pairs: epochs are cut into windows, windows into batches.
//
// The lines of the corpus are permuted by f(seed, epoch) and cut into windows of `window` lines. The kept pairs of
// a window are sorted by length (target, then source, then line), cut into batches of at most `batch_tokens`
// labels, and those are shuffled by f(seed, epoch, window). With subword sampling the pieces of a window are drawn
// in order by f(seed, epoch, window). So a window is a pure function of (epoch, window), and every kept line occurs
// once an epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/batch.h"
#include "data/corpus_report.h"
#include "data/data_examiner.h"
#include "data/pair_encoder.h"

namespace dragoman {

struct WindowOptions {
  std::uint64_t seed = 1;
  std::size_t batch_tokens = 4096;  ///< labels (target pieces and eos); a longer pair gets a batch of its own
  std::size_t window = 10'000;      ///< lines
};

/// The batches of one window, in training order.
struct Window {
  std::uint64_t epoch = 0;
  std::size_t index = 0;
  std::vector<Batch> batches;
  bool ends_epoch = false;           ///< no later window of the epoch has any batch
  std::optional<DataReport> report;  ///< of the first epoch, with ends_epoch, when an examiner is given
};

/// Makes one window after the other, forever. Not for several threads at once. Memory: 4 bytes a line of the
/// corpus, and two windows.
class WindowMaker {
 public:
  /// Begins at (epoch, window). `encoder` is copied; its corpus must live longer. `examiner` (may be null) is shown
  /// the pairs of the first epoch; those before `window` a few at a time.
  WindowMaker(PairEncoder encoder, WindowOptions options, std::uint64_t epoch, std::size_t window,
              std::shared_ptr<DataExaminer> examiner = nullptr);

  /// The next window that has a batch. UserError when a whole epoch has none. When a stop is requested the result
  /// is worthless.
  Window next(const std::stop_token& stop = {});

  [[nodiscard]] std::size_t windows_per_epoch() const;

 private:
  void begin_epoch();
  /// The kept pairs of a window of epoch_; all its pairs are counted and shown to the examiner.
  std::vector<EncodedPair> encode(std::size_t index, CorpusReport& report, const std::stop_token& stop);
  Window make(const std::stop_token& stop);  // the window at index_ of epoch_
  Window find(const std::stop_token& stop);  // the next with batches in epoch_; without any: none is left

  PairEncoder encoder_;
  WindowOptions options_;
  std::uint64_t epoch_;
  std::size_t index_;        // of the window to be made next
  std::size_t skipped_ = 0;  // windows before the first that the examiner has not seen
  std::size_t skipped_at_a_time_ = 0;
  std::vector<std::uint32_t> order_;  // the permutation of epoch_
  CorpusReport report_;               // of epoch_
  std::shared_ptr<DataExaminer> examiner_;
  Window ahead_;  // made already, when it has batches
};

}  // namespace dragoman
