#include "data/window.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/rng.h"

namespace dragoman {

namespace {

bool shorter(const EncodedPair& a, const EncodedPair& b) {
  return std::tuple(a.target.size(), a.source.size(), a.line) < std::tuple(b.target.size(), b.source.size(), b.line);
}

}  // namespace

WindowMaker::WindowMaker(PairEncoder encoder, WindowOptions options, std::uint64_t epoch, std::size_t window,
                         std::shared_ptr<DataExaminer> examiner)
    : encoder_(std::move(encoder)),
      options_(options),
      epoch_(epoch),
      index_(window),
      examiner_(epoch == 0 ? std::move(examiner) : nullptr) {
  if (options_.window == 0) throw UserError("training.window: found 0, expected at least 1");
  if (options_.batch_tokens == 0) throw UserError("training.batch_tokens: found 0, expected at least 1");
  const std::size_t size = encoder_.corpus().size();
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    throw UserError("data.train: " + std::to_string(size) + " pairs, at most 4294967295 can be used");
  }
  begin_epoch();
  if (examiner_ && window < windows_per_epoch()) {
    const std::size_t left = windows_per_epoch() - window;
    skipped_ = window;
    skipped_at_a_time_ = (window + left - 1) / left;  // so that all are seen when the epoch ends
  }
}

std::size_t WindowMaker::windows_per_epoch() const {
  const std::size_t size = encoder_.corpus().size();
  return size / options_.window + (size % options_.window != 0);
}

void WindowMaker::begin_epoch() {
  order_.resize(encoder_.corpus().size());
  std::iota(order_.begin(), order_.end(), 0u);
  Rng rng(hash_key({options_.seed, hash_name("lines"), epoch_}));
  shuffle(order_, rng);
  report_ = {};
}

std::vector<EncodedPair> WindowMaker::encode(std::size_t index, CorpusReport& report, const std::stop_token& stop) {
  const std::size_t begin = index * options_.window;
  const std::size_t end = std::min(begin + options_.window, order_.size());
  std::vector<EncodedPair> pairs;
  encoder_.reproducibly(hash_key({options_.seed, hash_name("pieces"), epoch_, index}), [&] {
    for (std::size_t i = begin; i < end && !stop.stop_requested(); ++i) {
      EncodedPair pair;
      PairText text;
      const PairFate fate = encoder_.encode_filtered(order_[i], pair, examiner_ ? &text : nullptr);
      report.count(fate, order_[i]);
      if (examiner_) examiner_->add(order_[i], fate, pair, text);
      if (is_used(fate)) pairs.push_back(std::move(pair));
    }
  });
  return pairs;
}

Window WindowMaker::make(const std::stop_token& stop) {
  std::vector<EncodedPair> pairs = encode(index_, report_, stop);
  std::sort(pairs.begin(), pairs.end(), shorter);
  Window window{epoch_, index_, {}, false, {}};
  for (const EncodedPair& pair : pairs) append_pair(window.batches, pair, options_.batch_tokens);
  Rng rng(hash_key({options_.seed, hash_name("batches"), epoch_, index_}));
  shuffle(window.batches, rng);
  ++index_;
  CorpusReport ignored;
  for (std::size_t i = 0; i < skipped_at_a_time_ && skipped_ > 0 && !stop.stop_requested(); ++i) {
    encode(--skipped_, ignored, stop);
  }
  return window;
}

Window WindowMaker::find(const std::stop_token& stop) {
  while (index_ < windows_per_epoch() && !stop.stop_requested()) {
    Window window = make(stop);
    if (!window.batches.empty()) return window;
  }
  return {};
}

Window WindowMaker::next(const std::stop_token& stop) {
  Window window = std::exchange(ahead_, {});
  while (window.batches.empty() && !stop.stop_requested()) {
    if (index_ >= windows_per_epoch()) {
      ++epoch_;
      index_ = 0;
      begin_epoch();
    }
    window = find(stop);
    const bool whole_epoch = report_.lines == order_.size();
    if (window.batches.empty() && whole_epoch && !stop.stop_requested()) {
      throw_nothing_left(report_, encoder_.corpus());
    }
  }
  ahead_ = find(stop);
  window.ends_epoch = ahead_.batches.empty();
  if (window.ends_epoch && examiner_ && !stop.stop_requested()) {
    window.report = examiner_->report();
    examiner_.reset();
  }
  return window;
}

}  // namespace dragoman
