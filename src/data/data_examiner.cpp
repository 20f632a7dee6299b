#include "data/data_examiner.h"

#include <algorithm>
#include <utility>

namespace dragoman {

namespace {

constexpr std::size_t kSample = 100'000;

/// Lines whose hash an earlier line has; 0 is no hash.
FirstLines find_repeats(const std::vector<std::uint64_t>& hashes) {
  std::vector<std::uint64_t> repeated = hashes;  // sorted, then those that occur twice and more, once each
  std::sort(repeated.begin(), repeated.end());
  std::size_t count = 0;
  for (std::size_t i = 0; i + 1 < repeated.size(); ++i) {
    const std::uint64_t hash = repeated[i];
    if (hash != 0 && hash == repeated[i + 1] && (count == 0 || repeated[count - 1] != hash)) repeated[count++] = hash;
  }
  repeated.resize(count);
  std::vector<bool> seen(count);
  FirstLines lines;
  for (std::size_t line = 0; line < hashes.size(); ++line) {
    const auto place = std::lower_bound(repeated.begin(), repeated.end(), hashes[line]);
    if (place == repeated.end() || *place != hashes[line]) continue;
    const auto i = static_cast<std::size_t>(place - repeated.begin());
    if (seen[i]) lines.add(line);
    seen[i] = true;
  }
  return lines;
}

}  // namespace

DataExaminer::DataExaminer(const PairEncoder& encoder, const Corpus* dev, const Corpus* test, LengthCaps caps)
    : encoder_(encoder), hashes_(encoder.corpus().size()), caps_(std::move(caps)) {
  if (dev != nullptr) held_out_.emplace_back("development data", encoder.with(*dev));
  if (test != nullptr) held_out_.emplace_back("test data", encoder.with(*test));
}

void DataExaminer::add(std::size_t line, PairFate fate, const EncodedPair& pair, const PairText& text) {
  pairs_.count(fate, line);
  if (!is_used(fate)) return;
  sides_[0].add(line, text.source, pair.source);
  sides_[1].add(line, text.target, pair.target);
  for (std::size_t i = 0; i < sides_.size(); ++i) sides_[i].add_raw(line, text.changes[i], text.mojibake[i]);
  if (caps_ && pair.target.size() - 1 > caps_(pair.source.size() - 1)) unreachable_.add(line);
  if (text.source == text.target) copies_.add(line);
  const PairHash hash(text);
  hashes_[line] = hash.pair;
  for (HeldOutText& held_out : held_out_) held_out.add_training(hash);
}

DataReport DataExaminer::report() const {
  const Corpus& corpus = encoder_.corpus();
  DataReport report;
  report.pairs = pairs_;
  report.pairs.sampled = pairs_.lines < corpus.size();
  report.fates = report.pairs.describe(corpus);
  report.sides[0] = sides_[0].report(corpus, *encoder_.tokenizers().source);
  report.sides[1] = sides_[1].report(corpus, *encoder_.tokenizers().target);
  report.duplicates = find_repeats(hashes_).in(corpus);
  report.copies = copies_.in(corpus);
  report.unreachable = unreachable_.in(corpus);
  const HeldOutText* development = nullptr;  // when the test data follow it
  for (const HeldOutText& held_out : held_out_) {
    report.held_out.push_back(held_out.report(sides_, development));
    development = &held_out;
  }
  return report;
}

DataReport examine(const PairEncoder& encoder, const Corpus* dev, const Corpus* test, std::size_t examine_all,
                   const LengthCaps& caps) {
  DataExaminer examiner(encoder, dev, test, caps);
  const std::size_t size = encoder.corpus().size();
  const bool sampled = size > examine_all;
  const std::size_t count = sampled ? std::min(kSample, examine_all) : size;
  encoder.reproducibly(0, [&] {  // with sampled pieces: about what an epoch will drop
    EncodedPair pair;
    PairText text;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t line = sampled ? i * size / count : i;
      const PairFate fate = encoder.encode_filtered(line, pair, &text);
      examiner.add(line, fate, pair, text);
    }
  });
  if (examiner.pairs().kept == 0 && !sampled) throw_nothing_left(examiner.pairs(), encoder.corpus());
  return examiner.report();
}

}  // namespace dragoman
