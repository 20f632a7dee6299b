#include "data/pair_encoder.h"

#include <utility>

#include "core/error.h"
#include "data/clean.h"
#include "data/long_line.h"
#include "data/mojibake.h"

namespace dragoman {

PairEncoder::PairEncoder(const Corpus& corpus, TokenizerPair tokenizers, FilterOptions options, std::size_t cache_bytes)
    : corpus_(corpus),
      tokenizers_(std::move(tokenizers)),
      options_(std::move(options)),
      cache_(std::make_shared<EncodedCache>(corpus.size(), options_.sampling.alpha > 0 ? 0 : cache_bytes)) {
  if (options_.max_length == 0) throw UserError("data.max_length: found 0, expected at least 1");
  if (options_.on_long != "skip" && options_.on_long != "truncate") {
    throw UserError("data.on_long: found \"" + options_.on_long + "\", expected skip or truncate");
  }
  if (!samples()) return;
  reproducibly(0, [this] {  // UserError: a tokenizer can't
    for (const auto& tokenizer : {tokenizers_.source, tokenizers_.target}) {
      static_cast<void>(tokenizer->sample("a", options_.sampling));
    }
  });
}

void PairEncoder::reproducibly(std::uint64_t seed, const std::function<void()>& work) const {
  if (samples()) {
    sample_reproducibly(seed, work);
  } else {
    work();
  }
}

PairText PairEncoder::text(std::size_t i) const {
  std::array<std::string, 2> raw;
  corpus_.read(i, raw[0], raw[1]);
  PairText text;
  text.source = normalize_text(raw[0], options_.normalization, &text.changes[0]);
  text.target = normalize_text(raw[1], options_.normalization, &text.changes[1]);
  for (std::size_t side = 0; side < raw.size(); ++side) text.mojibake[side] = has_mojibake(raw[side]);
  return text;
}

PairEncoder PairEncoder::with(const Corpus& other) const {
  return {other, tokenizers_, {.normalization = options_.normalization}, 0};
}

PairText PairEncoder::read(std::size_t i, EncodedPair& pair, bool sample) const {
  PairText lines = text(i);
  pair.line = i;
  const auto pieces = [&](const Tokenizer& tokenizer, const std::string& line) {
    return sample ? tokenizer.sample(line, options_.sampling) : tokenizer.encode(line);
  };
  pair.source = pieces(*tokenizers_.source, lines.source);
  pair.target = pieces(*tokenizers_.target, lines.target);
  return lines;
}

PairFate PairEncoder::encode_filtered(std::size_t i, EncodedPair& pair, PairText* text) const {
  if (samples()) return filter(i, pair, true, text);
  PairFate fate{};
  if (cache_->find(i, pair, fate)) {
    if (text != nullptr && is_used(fate)) *text = this->text(i);
    return fate;
  }
  fate = filter(i, pair, false, text);
  cache_->insert(i, pair, fate);
  return fate;
}

PairFate PairEncoder::filter(std::size_t i, EncodedPair& pair, bool sample, PairText* text) const {
  if (corpus_.bytes(i) > kMaxLineToTokenize) return PairFate::too_many_bytes;
  PairText lines = read(i, pair, sample);
  if (pair.source.empty() || is_blank(lines.source)) return PairFate::empty_source;
  if (pair.target.empty() || is_blank(lines.target)) return PairFate::empty_target;
  const std::size_t limit = options_.max_length;
  if (text != nullptr) *text = std::move(lines);
  const bool is_long = pair.source.size() > limit || pair.target.size() > limit;
  if (is_long && options_.on_long == "skip") return PairFate::too_long;
  if (pair.source.size() > limit) pair.source.resize(limit);
  if (pair.target.size() > limit) pair.target.resize(limit);
  pair.source.push_back(kEos);
  pair.target.push_back(kEos);
  return is_long ? PairFate::truncated : PairFate::kept;
}

void PairEncoder::encode(std::size_t i, EncodedPair& pair, PairText* text) const {
  if (const std::size_t bytes = corpus_.bytes(i); bytes > kMaxLineToTokenize) {
    throw UserError(corpus_.where(i) + ": the line (or its other side) has " + std::to_string(bytes) +
                    " bytes, expected at most " + std::to_string(kMaxLineToTokenize) +
                    " in development and test text and in what is scored; split it, or leave the pair out");
  }
  PairText lines = read(i, pair, false);
  if (text != nullptr) *text = std::move(lines);
  pair.source.push_back(kEos);
  pair.target.push_back(kEos);
}

void throw_nothing_left(const CorpusReport& report, const Corpus& corpus) {
  throw UserError("data.train: nothing is left to train on; " + report.describe(corpus));
}

void append_pair(std::vector<Batch>& batches, const EncodedPair& pair, std::size_t batch_tokens) {
  if (batches.empty() || static_cast<std::size_t>(batches.back().labels()) + pair.target.size() > batch_tokens) {
    batches.emplace_back();
  }
  Batch& batch = batches.back();
  batch.source.add(pair.source);
  batch.target.add(pair.target);
  batch.line.push_back(pair.line);
}

std::vector<Batch> encode_all(const PairEncoder& encoder, std::size_t batch_tokens) {
  std::vector<Batch> batches;
  EncodedPair pair;
  for (std::size_t i = 0; i < encoder.corpus().size(); ++i) {
    encoder.encode(i, pair);
    append_pair(batches, pair, batch_tokens);
  }
  return batches;
}

}  // namespace dragoman
