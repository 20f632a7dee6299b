// The Transformer encoder (Vaswani et al. 2017, section 3.1): embeddings and positions, then layers of self-attention
// and feed-forward; with pre-norm a last layer norm.
#pragma once

#include <optional>
#include <vector>

#include "models/encoder.h"
#include "models/transformer_input.h"
#include "models/transformer_layer.h"

namespace DRAGOMAN_NAMESPACE {

/// Memory: the rows of the top layer. Its final state, for recurrent decoders, is one layer: the mean of a sentence's
/// rows (there is no c).
class TransformerEncoder : public Encoder {
 public:
  /// `embedding` [vocabulary, model_size] is declared by the model, which decides about tying.
  TransformerEncoder(ParamStore& store, const ModelConfig& config, const Embedding& embedding);

  [[nodiscard]] Index memory_size() const override { return size_; }
  [[nodiscard]] Index final_layers() const override { return 1; }
  [[nodiscard]] Index final_size() const override { return size_; }
  [[nodiscard]] bool has_final_c() const override { return false; }
  [[nodiscard]] Index max_tokens() const override { return input_.positions.max_positions(); }

  Memory forward(Values values, const Sentences& source, NoiseKeys noise, Workspace& workspace,
                 const EncoderSaved** saved) const override;
  void backward(Values values, const Sentences& source, NoiseKeys noise, const EncoderSaved& saved,
                const MemoryGrad& dmemory, Grads grads, Workspace& workspace) const override;
  void visit_attention(const Sentences& source, const EncoderSaved& saved, Index sentence, Workspace& workspace,
                       const VisitHead& visit) const override;

 private:
  struct Layer {
    AttentionBlock self;
    FeedForwardBlock ffn;
  };
  struct LayerSaved {
    AttentionBlock::Saved self;
    FeedForwardBlock::Saved ffn;
  };
  struct Saved : EncoderSaved {
    std::span<LayerSaved> layers;
    LayerNorm::Saved norm;
  };

  Index size_;
  TransformerInput input_;
  std::vector<Layer> layers_;
  std::optional<LayerNorm> norm_;  ///< pre-norm
};

}  // namespace DRAGOMAN_NAMESPACE
