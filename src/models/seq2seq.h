// A whole model: embeddings, encoder, decoder and output layer over one parameter store.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "layers/embedding.h"
#include "layers/output.h"
#include "models/decoder.h"
#include "models/encoder.h"
#include "models/model_config.h"

namespace DRAGOMAN_NAMESPACE {

class Seq2Seq {
 public:
  /// Declares all parameters; values are undefined until params().initialize() or a checkpoint fills them in.
  Seq2Seq(const ModelConfig& config, Index source_vocabulary, Index target_vocabulary);

  [[nodiscard]] ParamStore& params() { return store_; }
  [[nodiscard]] const ParamStore& params() const { return store_; }
  [[nodiscard]] Values values() const { return store_.values(); }
  /// Which parameters have a row (or column) for each piece of a vocabulary.
  struct PieceParam {
    ParamRef ref;
    bool of_target = false, columns = false;
  };
  [[nodiscard]] std::vector<PieceParam> piece_params() const;
  [[nodiscard]] Index target_vocabulary() const { return output_.vocabulary(); }
  /// Longest sentences that the model takes, eos included (kNoLimit without learned positions).
  [[nodiscard]] Index max_source_tokens() const { return encoder_->max_tokens(); }
  [[nodiscard]] Index max_target_tokens() const { return decoder_->max_tokens(); }

  /// Forward and backward of the loss summed over the batch's labels; gradients are added to grads.
  LossSums forward_backward(Values values, const Batch& batch, const Noise& noise, double smoothing, Grads grads,
                            Workspace& workspace) const;
  /// Forward alone, without dropout. log_probs (if not empty) gets log p of each label, batch order.
  LossSums evaluate(Values values, const Batch& batch, double smoothing, std::span<double> log_probs,
                    Workspace& workspace) const;
  /// Teacher-forced: each head of each sentence of the batch, sentence by sentence.
  void visit_attention(Values values, const Batch& batch, Workspace& workspace,
                       const std::function<void(Index sentence, const HeadWeights&)>& visit) const;
  /// All of them, kept: for a few sentences.
  std::vector<std::vector<AttentionMap>> attention(Values values, const Batch& batch, Workspace& workspace) const;

  // Decoding.
  Memory encode(Values values, const Sentences& source, Workspace& workspace) const;
  [[nodiscard]] std::unique_ptr<DecoderState> start(Values values, const Memory& memory, Workspace& workspace) const;
  [[nodiscard]] Index cached_numbers() const { return decoder_->cached_numbers(); }  ///< by a state, a row and step
  /// Logits [rows, vocabulary] after one more token each.
  Mat step(Values values, DecoderState& state, std::span<const TokenId> tokens, Workspace& workspace) const;

 private:
  /// The encoder's Memory after dropout on its rows.
  Memory encode(Values values, const Sentences& source, NoiseKeys noise, Workspace& workspace,
                const EncoderSaved** saved) const;

  ParamStore store_;
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<Decoder> decoder_;
  OutputLayer output_;
  ParamRef source_embedding_, target_embedding_;  ///< the same with tied_embeddings all
  Dropout context_dropout_;                       ///< on the encoder's rows, not on its final state
  Dropout readout_dropout_;
};

}  // namespace DRAGOMAN_NAMESPACE
