#include "models/transformer_decoder.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "core/error.h"
#include "kernels/rows.h"

namespace DRAGOMAN_NAMESPACE {

TransformerDecoder::TransformerDecoder(ParamStore& store, const ModelConfig& config, const Embedding& embedding,
                                       Index memory_size)
    : size_(config.decoder.transformer.model_size),
      input_(store, "decoder", config.decoder.transformer, config, embedding) {
  const TransformerConfig& c = config.decoder.transformer;
  for (Index l = 0; l < config.decoder.layers; ++l) {
    const std::string name = "decoder." + std::to_string(l);
    layers_.push_back({AttentionBlock::create(store, name + ".self", c, config, size_),
                       AttentionBlock::create(store, name + ".cross", c, config, memory_size),
                       FeedForwardBlock::create(store, name + ".ffn", c, config)});
  }
  if (c.pre_norm()) norm_ = LayerNorm::create(store, "decoder.norm", size_);
}

template <class SelfKeysValues>
Mat TransformerDecoder::run_layer(const BlockContext& context, const Layer& layer, ConstMat x,
                                  std::span<const KeyRange> self_ranges, const SelfKeysValues& self_keys_values,
                                  std::span<const KeyRange> cross_ranges, const MultiHead::KeysValues& memory,
                                  LayerSaved& saved) const {
  const Mat after_self = layer.self.forward(context, x, self_ranges, self_keys_values, saved.self);
  const auto from_memory = [&](ConstMat) { return memory; };
  const Mat after_cross = layer.cross.forward(context, after_self, cross_ranges, from_memory, saved.cross);
  return layer.ffn.forward(context, after_cross, saved.ffn);
}

Mat TransformerDecoder::forward(Values values, const Memory& memory, const Sentences& target, NoiseKeys noise,
                                Workspace& workspace, const DecoderSaved** saved) const {
  CHECK(memory.sentences() == target.count(), "TransformerDecoder: one target a source");
  auto* s = workspace.make<Saved>();
  s->layers = workspace.array<LayerSaved>(static_cast<Index>(layers_.size()));
  const std::span<const KeyRange> self_ranges = causal_ranges(target.offset, workspace);
  const std::span<const KeyRange> cross_ranges = memory_ranges(target.offset, memory.offset, workspace);
  s->noise_keys = noise;
  const std::span<TokenId> inputs = workspace.array<TokenId>(target.tokens());
  for (Index i = 0; i < target.count(); ++i) {
    inputs[target.offset[i]] = kBos;
    std::copy_n(target[i].begin(), target.length(i) - 1, inputs.begin() + target.offset[i] + 1);
  }
  s->inputs = inputs;

  const BlockContext context{values, s->noise_keys, workspace};
  Mat x = input_.forward(values, inputs, target.offset, 0, s->noise_keys, workspace);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const auto same_rows = [&](ConstMat from) { return layer.self.attention.project(values, from, workspace); };
    x = run_layer(context, layer, x, self_ranges, same_rows, cross_ranges,
                  layer.cross.attention.project(values, memory.rows, workspace), *std::construct_at(&s->layers[l]));
  }
  if (norm_) x = norm_->forward(values, x, workspace, s->norm);
  if (saved != nullptr) *saved = s;
  return x;
}

void TransformerDecoder::backward(Values values, const Memory& memory, const Sentences& target,
                                  const DecoderSaved& saved, ConstMat dreadout, const MemoryGrad& dmemory, Grads grads,
                                  Workspace& workspace) const {
  const auto& s = static_cast<const Saved&>(saved);
  const Workspace::Scope scope(workspace);
  const BlockContext context{values, s.noise_keys, workspace};
  Mat dx = workspace.mat(dreadout.rows, dreadout.cols);
  Mat dother = workspace.mat(dreadout.rows, dreadout.cols);
  if (norm_) {
    norm_->backward(values, s.norm, dreadout, dx, grads);
  } else {
    copy(dreadout, dx);
  }
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    const LayerSaved& kept = s.layers[l];
    layer.ffn.backward(context, kept.ffn, dx, dother, grads);
    layer.cross.backward(context, kept.cross, dother, dx, memory.rows, dmemory.rows, grads);
    layer.self.backward(context, kept.self, dx, dother, {}, {}, grads);
    std::swap(dx, dother);
  }
  input_.backward(s.inputs, target.offset, dx, s.noise_keys, grads);
}

void TransformerDecoder::visit_attention(const Memory& memory, const Sentences& target, const DecoderSaved& saved,
                                         Index sentence, Workspace& workspace, const VisitHead& visit) const {
  const auto& s = static_cast<const Saved&>(saved);
  const Index begin = target.offset[sentence];
  const Index length = target.length(sentence);
  const Index source_length = memory.offset[sentence + 1] - memory.offset[sentence];
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const auto layer = static_cast<Index>(l);
    visit_heads("decoder", layer, layers_[l].self.attention, s.layers[l].self.attention, begin, length, length,
                workspace, visit);
    visit_heads("cross", layer, layers_[l].cross.attention, s.layers[l].cross.attention, begin, length, source_length,
                workspace, visit);
  }
}

/// The keys and values of earlier steps: for each layer a matrix in which a hypothesis owns a slot of `capacity` rows, of
/// which the first `length` are filled. A hypothesis that lives on keeps its slot; only where a beam has several
/// continuations of one, the others get a copy.
struct TransformerDecoder::State : DecoderState {
  struct Cache {
    std::vector<Real> numbers;
    Index cols = 0;

    [[nodiscard]] Mat mat() { return {numbers.data(), static_cast<Index>(numbers.size()) / cols, cols, cols}; }
    void resize(Index rows) {
      numbers.reserve(static_cast<std::size_t>(rows * cols));  // no more than that
      numbers.resize(static_cast<std::size_t>(rows * cols));
    }
    void copy_rows(Index from, Index to, Index rows) {
      std::copy_n(numbers.begin() + from * cols, rows * cols, numbers.begin() + to * cols);
    }
    /// Slot i becomes slot from[i] with room for more rows; written to `spare`, then exchanged with it.
    void widen(std::span<const Index> from, Index length, Index old_capacity, Index capacity,
               std::vector<Real>& spare) {
      spare.resize(from.size() * static_cast<std::size_t>(capacity * cols));
      for (std::size_t i = 0; i < from.size(); ++i) {
        std::copy_n(numbers.begin() + from[i] * old_capacity * cols, length * cols,
                    spare.begin() + static_cast<Index>(i) * capacity * cols);
      }
      std::swap(numbers, spare);
    }
  };
  struct LayerCache {
    Cache keys, values;
  };

  const Memory* memory = nullptr;
  std::vector<MultiHead::KeysValues> projected;  ///< memory's, for each layer
  std::vector<Index> sentences, slots;           ///< of each hypothesis
  std::vector<LayerCache> layers;
  std::vector<Real> spare;  ///< one buffer in turn for all caches
  Index length = 0, capacity = 0;
  std::size_t slot_count = 0;

  template <class Work>
  void for_caches(Work work) {
    for (LayerCache& layer : layers) {
      work(layer.keys);
      work(layer.values);
    }
  }

  void select(std::span<const Index> rows) override {
    if (rows.size() > slot_count) {
      slot_count = rows.size();
      for_caches([&](Cache& cache) { cache.resize(static_cast<Index>(slot_count) * capacity); });
    }
    std::vector<char> taken(slot_count);
    std::vector<Index> kept_sentences, kept_slots, copies;
    for (const Index row : rows) {
      kept_sentences.push_back(sentences[row]);
      kept_slots.push_back(slots[row]);
      if (std::exchange(taken[slots[row]], true)) copies.push_back(static_cast<Index>(kept_slots.size()) - 1);
    }
    Index next = 0;
    for (const Index i : copies) {
      while (taken[next]) ++next;
      taken[next] = true;
      for_caches([&](Cache& cache) { cache.copy_rows(kept_slots[i] * capacity, next * capacity, length); });
      kept_slots[i] = next;
    }
    sentences = std::move(kept_sentences);
    slots = std::move(kept_slots);
  }

  void make_room() {
    if (length < capacity) return;
    const Index more = std::max<Index>(2 * capacity, 16);
    for_caches([&](Cache& cache) { cache.widen(slots, length, capacity, more, spare); });
    std::iota(slots.begin(), slots.end(), Index{0});
    slot_count = slots.size();
    capacity = more;
  }
};

Index TransformerDecoder::cached_numbers() const {
  Index numbers = 0, spare = 0;
  for (const Layer& layer : layers_) {
    const Index keys = layer.self.attention.key.w.cols, values = layer.self.attention.value.w.cols;
    numbers += keys + values;
    spare = std::max({spare, keys, values});
  }
  return numbers + spare;
}

std::unique_ptr<DecoderState> TransformerDecoder::start(Values values, const Memory& memory,
                                                        Workspace& workspace) const {
  auto state = std::make_unique<State>();
  state->memory = &memory;
  for (Index i = 0; i < memory.sentences(); ++i) state->sentences.push_back(i);
  state->slots = state->sentences;
  for (const Layer& layer : layers_) {
    state->projected.push_back(layer.cross.attention.project(values, memory.rows, workspace));
    State::LayerCache& cache = state->layers.emplace_back();
    cache.keys.cols = layer.self.attention.key.w.cols;
    cache.values.cols = layer.self.attention.value.w.cols;
  }
  return state;
}

Mat TransformerDecoder::step(Values values, DecoderState& base, std::span<const TokenId> tokens,
                             Workspace& workspace) const {
  auto& state = static_cast<State&>(base);
  const auto n = static_cast<Index>(state.sentences.size());
  CHECK(static_cast<Index>(tokens.size()) == n, "TransformerDecoder: one token a row");
  state.make_room();
  const Mat readout = workspace.mat(n, size_);
  const Workspace::Scope scope(workspace);
  const std::span<Index> offset = workspace.array<Index>(n + 1);  // every row is a sentence of its own
  const std::span<KeyRange> self_ranges = workspace.array<KeyRange>(n);
  const std::span<KeyRange> cross_ranges = workspace.array<KeyRange>(n);
  for (Index i = 0; i <= n; ++i) offset[i] = i;
  for (Index i = 0; i < n; ++i) {
    const Index sentence = state.sentences[i];
    const Index first = state.slots[i] * state.capacity;
    self_ranges[i] = {first, first + state.length + 1};
    cross_ranges[i] = {state.memory->offset[sentence], state.memory->offset[sentence + 1]};
  }
  const BlockContext context{values, {}, workspace, true};
  Mat x = input_.forward(values, tokens, offset, state.length, {}, workspace);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const auto with_earlier_steps = [&](ConstMat from) {
      const MultiHead::KeysValues now = layer.self.attention.project(values, from, workspace);
      const MultiHead::KeysValues all{state.layers[l].keys.mat(), state.layers[l].values.mat()};
      for (Index i = 0; i < n; ++i) {
        const Index row = state.slots[i] * state.capacity + state.length;
        copy(now.keys.row_range(i, 1), all.keys.row_range(row, 1));
        copy(now.values.row_range(i, 1), all.values.row_range(row, 1));
      }
      return all;
    };
    LayerSaved unused;
    x = run_layer(context, layer, x, self_ranges, with_earlier_steps, cross_ranges, state.projected[l], unused);
  }
  LayerNorm::Saved unused;
  if (norm_) x = norm_->forward(values, x, workspace, unused);
  copy(x, readout);
  state.length += 1;
  return readout;
}

}  // namespace DRAGOMAN_NAMESPACE
