// The two kinds of blocks that Transformer layers are made of: attention and feed-forward, each inside its residual
// connection. An encoder layer is self-attention and feed-forward; a decoder layer has encoder-decoder attention
// between the two.
#pragma once

#include <span>
#include <string>

#include "attention/multi_head.h"
#include "layers/feed_forward.h"
#include "layers/residual.h"
#include "models/model_config.h"

namespace DRAGOMAN_NAMESPACE {

/// What blocks have in common while one batch passes through a stack.
struct BlockContext {
  Values values;
  std::span<const std::uint64_t> noise_keys;  ///< of each row; empty: no dropout
  Workspace& workspace;
  bool decoding = false;  ///< one step: every row is a hypothesis
};

struct AttentionBlock {
  MultiHead attention;
  Residual residual;

  struct Saved {
    MultiHead::Saved attention;
    Residual::Saved residual;
  };

  /// `memory_width`: of the rows that keys and values are projected from.
  static AttentionBlock create(ParamStore& store, const std::string& name, const TransformerConfig& config,
                               const ModelConfig& model, Index memory_width);

  /// Queries come from `from`, which is x, or LN(x) in pre-norm. Keys and values are what keys_values(from) gives:
  /// projections of the same rows (self-attention), of the encoder's (encoder-decoder), or the cache of decoding.
  template <class KeysValuesOf>
  Mat forward(const BlockContext& context, ConstMat x, std::span<const KeyRange> ranges,
              const KeysValuesOf& keys_values, Saved& saved) const {
    const ConstMat from = residual.before(context.values, x, context.workspace, saved.residual);
    const Mat fx = attention.forward(context.values, from, keys_values(from), ranges, context.noise_keys,
                                     context.decoding, context.workspace, saved.attention);
    return residual.after(context.values, x, fx, context.noise_keys, context.workspace, saved.residual);
  }

  /// Keys and values came from `memory`, whose gradient is added to dmemory; both empty: from the block's own rows.
  void backward(const BlockContext& context, const Saved& saved, ConstMat dy, Mat dx, ConstMat memory, Mat dmemory,
                Grads grads) const;
};

struct FeedForwardBlock {
  FeedForward feed_forward;
  Residual residual;

  struct Saved {
    FeedForward::Saved feed_forward;
    Residual::Saved residual;
  };

  static FeedForwardBlock create(ParamStore& store, const std::string& name, const TransformerConfig& config,
                                 const ModelConfig& model);

  Mat forward(const BlockContext& context, ConstMat x, Saved& saved) const;
  void backward(const BlockContext& context, const Saved& saved, ConstMat dy, Mat dx, Grads grads) const;
};

/// Each token of a packed batch sees its whole sentence.
std::span<KeyRange> sentence_ranges(std::span<const Index> offset, Workspace& workspace);
/// Each token sees its sentence up to itself.
std::span<KeyRange> causal_ranges(std::span<const Index> offset, Workspace& workspace);
/// Each token of the packed sentences sees the whole sentence of the same number in the memory.
std::span<KeyRange> memory_ranges(std::span<const Index> offset, std::span<const Index> memory_offset,
                                  Workspace& workspace);

}  // namespace DRAGOMAN_NAMESPACE
