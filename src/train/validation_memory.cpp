#include "train/validation_memory.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "analysis/attention_entropy.h"
#include "decode/search_rules.h"
#include "train/validation.h"
#include "train/validation_metrics.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr Index kMeasured = 1024;      // tokens a side
constexpr Index kSearchTokens = 4096;  // source tokens of a search that are encoded; more are computed from these

Index longer_side(const Batch& batch) { return std::max(batch.source.tokens(), batch.target.tokens()); }

std::size_t evaluating_bytes(const Seq2Seq& model, const Batch& batch) {
  Workspace workspace;
  model.evaluate(model.values(), batch, 0, {}, workspace);
  if (has_entropy(batch)) model.visit_attention(model.values(), batch, workspace, [](Index, const HeadWeights&) {});
  return workspace.peak_bytes();
}

/// Bytes of evaluating a pair of s and t tokens, from those of shorter ones: a s + b t for the rows, and the largest of
/// c s^2, d t^2 and e s t for attention's weights, which come and go one layer after the other.
class LongPairs {
 public:
  explicit LongPairs(const Seq2Seq& model) : model_(model) {
    const double one_source = measured(kHalf, 1), one_target = measured(1, kHalf);
    source_ = Curve(one_source, measured(2 * kHalf, 1));
    target_ = Curve(one_target, measured(1, 2 * kHalf));
    product_ = std::max(0.0, measured(kHalf, kHalf) - (source_.a + target_.a) * kHalf) / (kHalf * kHalf);
  }

  [[nodiscard]] std::size_t bytes(Index s, Index t) const {
    const auto source = static_cast<double>(s), target = static_cast<double>(t);
    return static_cast<std::size_t>(
        source_.a * source + target_.a * target +
        std::max({source_.b * source * source, target_.b * target * target, product_ * source * target}));
  }

 private:
  static constexpr Index kHalf = kMeasured / 2;

  /// a n + b n^2 through its values at kHalf and 2 kHalf.
  struct Curve {
    double a = 0, b = 0;
    Curve() = default;
    Curve(double half, double whole) : b(std::max(0.0, (whole - 2 * half) / (2.0 * kHalf * kHalf))) {
      a = whole / (2 * kHalf) - b * 2 * kHalf;
    }
  };

  [[nodiscard]] double measured(Index s, Index t) const {
    Batch batch;
    batch.source.add(std::vector<TokenId>(static_cast<std::size_t>(s), kEos));
    batch.target.add(std::vector<TokenId>(static_cast<std::size_t>(t), kEos));
    Workspace workspace;
    model_.evaluate(model_.values(), batch, 0, {}, workspace);
    return static_cast<double>(workspace.peak_bytes());
  }

  const Seq2Seq& model_;
  Curve source_, target_;
  double product_ = 0;
};

/// Of the largest batch that is measured, and of longer lines by computation.
std::size_t evaluating_bytes(const Seq2Seq& model, const std::vector<Batch>& batches) {
  const Batch* largest = nullptr;
  std::vector<const Batch*> longer;
  for (const Batch& batch : batches) {
    if (longer_side(batch) > kMeasured) {
      longer.push_back(&batch);
    } else if (largest == nullptr || longer_side(batch) > longer_side(*largest)) {
      largest = &batch;
    }
  }
  std::size_t bytes = largest == nullptr ? 0 : evaluating_bytes(model, *largest);
  if (longer.empty()) return bytes;
  const LongPairs pairs(model);
  for (const Batch* batch : longer)
    bytes = std::max(bytes, pairs.bytes(batch->source.tokens(), batch->target.tokens()));
  return bytes;
}

/// Of a search for the longest lines, as many as are translated at a time.
std::size_t searching_bytes(const Seq2Seq& model, const std::vector<Batch>& batches, const DecodeOptions& decoding,
                            Index beam_size) {
  const Index most = std::min(decoding.max_input + 1, model.max_source_tokens());
  std::vector<std::pair<Index, Index>> lengths;  // source tokens, target tokens
  for (const Batch& batch : batches) {
    for (Index i = 0; i < batch.count(); ++i) {
      lengths.emplace_back(std::min(batch.source.length(i), most), batch.target.length(i));
    }
  }
  std::sort(lengths.rbegin(), lengths.rend());
  lengths.resize(std::min(lengths.size(), static_cast<std::size_t>(decoding.batch_sentences)));
  Sentences sources;
  Index tokens = 0, steps = 0;
  for (const auto& [source, target] : lengths) {
    tokens += source;
    steps = std::max(steps, std::min(target, length_cap(decoding, source - 1, model.max_target_tokens()) + 1));
    if (sources.tokens() > 0 && sources.tokens() + source > kSearchTokens) continue;
    sources.add(std::vector<TokenId>(static_cast<std::size_t>(source), kEos));
  }
  Workspace workspace;
  const Memory memory = model.encode(model.values(), sources, workspace);
  const std::unique_ptr<DecoderState> state = model.start(model.values(), memory, workspace);
  const double whole = static_cast<double>(tokens) / static_cast<double>(sources.tokens());
  const auto encoded = static_cast<std::size_t>(whole * static_cast<double>(workspace.peak_bytes()));
  // Hypotheses end at different times: about half of what they could fill.
  const Index rows = static_cast<Index>(lengths.size()) * beam_size;
  return encoded + static_cast<std::size_t>(rows * steps * model.cached_numbers()) * sizeof(Real) / 2;
}

}  // namespace

ValidationMemory validation_memory(const Seq2Seq& model, const PairEncoder& text, const ValidationOptions& options,
                                   const DecodeOptions& decoding, Index beam_size) {
  const std::vector<Batch> batches = encode_all(text, kValidationLabels);
  ValidationMemory memory;
  for (const Batch& batch : batches) {
    for (Index i = 0; i < batch.count(); ++i) {
      memory.longest = std::max({memory.longest, batch.source.length(i), batch.target.length(i)});
    }
  }
  memory.bytes = evaluating_bytes(model, batches);
  if (translates(options)) memory.bytes = std::max(memory.bytes, searching_bytes(model, batches, decoding, beam_size));
  return memory;
}

}  // namespace DRAGOMAN_NAMESPACE
