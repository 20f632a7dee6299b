// The Transformer decoder (Vaswani et al. 2017, section 3.1): embeddings and positions, then layers of
// causal self-attention, encoder-decoder attention and feed-forward; with pre-norm a last layer norm.
//
// Where Q, K and V of a layer come from:
//   self    Q, K, V: the layer's rows; a row sees those of its sentence up to itself
//   cross   Q: the layer's rows; K, V: the rows of Memory, whose width may be another
//
// One function, run_layer(), computes a layer. Training calls it with all rows of all sentences, decoding with one row
// a hypothesis and the keys and values of the earlier steps in a cache.
#pragma once

#include <optional>
#include <vector>

#include "models/decoder.h"
#include "models/transformer_input.h"
#include "models/transformer_layer.h"

namespace DRAGOMAN_NAMESPACE {

class TransformerDecoder : public Decoder {
 public:
  TransformerDecoder(ParamStore& store, const ModelConfig& config, const Embedding& embedding, Index memory_size);

  [[nodiscard]] Index readout_size() const override { return size_; }
  [[nodiscard]] Index max_tokens() const override { return input_.positions.max_positions(); }

  Mat forward(Values values, const Memory& memory, const Sentences& target, NoiseKeys noise, Workspace& workspace,
              const DecoderSaved** saved) const override;
  void backward(Values values, const Memory& memory, const Sentences& target, const DecoderSaved& saved,
                ConstMat dreadout, const MemoryGrad& dmemory, Grads grads, Workspace& workspace) const override;
  void visit_attention(const Memory& memory, const Sentences& target, const DecoderSaved& saved, Index sentence,
                       Workspace& workspace, const VisitHead& visit) const override;
  [[nodiscard]] std::unique_ptr<DecoderState> start(Values values, const Memory& memory,
                                                    Workspace& workspace) const override;
  [[nodiscard]] Index cached_numbers() const override;  ///< keys and values of all layers, and a spare buffer
  Mat step(Values values, DecoderState& state, std::span<const TokenId> tokens, Workspace& workspace) const override;

 private:
  struct Layer {
    AttentionBlock self, cross;
    FeedForwardBlock ffn;
  };
  struct LayerSaved {
    AttentionBlock::Saved self, cross;
    FeedForwardBlock::Saved ffn;
  };
  struct Saved : DecoderSaved {
    std::span<LayerSaved> layers;
    LayerNorm::Saved norm;
    std::span<const TokenId> inputs;            ///< bos + pieces
    std::span<const std::uint64_t> noise_keys;  ///< of each row; empty in inference
  };
  struct State;

  /// `self_keys_values(from)` are the projected keys and values that the self-attention sees, `memory` those of the
  /// encoder-decoder attention.
  template <class SelfKeysValues>
  Mat run_layer(const BlockContext& context, const Layer& layer, ConstMat x, std::span<const KeyRange> self_ranges,
                const SelfKeysValues& self_keys_values, std::span<const KeyRange> cross_ranges,
                const MultiHead::KeysValues& memory, LayerSaved& saved) const;

  Index size_;
  TransformerInput input_;
  std::vector<Layer> layers_;
  std::optional<LayerNorm> norm_;  ///< pre-norm
};

}  // namespace DRAGOMAN_NAMESPACE
