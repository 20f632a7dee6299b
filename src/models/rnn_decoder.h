// The recurrent decoder with attention.
//
// With e_t the embedding of the previous token, A(q) = Attention(q, memory, memory), s the h of the top layer:
//   query previous (Bahdanau et al. 2015)   c_t = A(s_{t-1})   first cell reads [e_t; c_t]
//                                           readout r_t = tanh(W [s_t; c_t; e_t] + b)
//   query between  (conditional GRU of Nematus, Sennrich et al. 2017)   s' = cell(e_t, s_{t-1});  c_t = A(s');
//                                           s_t = second(c_t, s');   readout as previous
//   query current  (Luong et al. 2015)      first cell reads [e_t], or [e_t; r_{t-1}] with input feeding;
//                                           c_t = A(s_t);   r_t = tanh(W [c_t; s_t] + b)
// Without attention c_t is dropped from all formulas (context start) or the encoder's final h (every_step).
//
// One function, step_rows(), computes a time step (the three modes: step_previous, step_between, step_current). Training calls it with views into time-major buffers of all steps,
// decoding with buffers of one step. Products that don't depend on the state are taken out of the time loop: the
// embedding's share of the first cell's input, and the readout unless it is fed back.
#pragma once

#include <optional>
#include <vector>

#include "attention/attention_layer.h"
#include "layers/embedding.h"
#include "models/decoder.h"
#include "models/model_config.h"
#include "recurrent/recurrent_layer.h"

namespace DRAGOMAN_NAMESPACE {

class RnnDecoder : public Decoder {
 public:
  RnnDecoder(ParamStore& store, const ModelConfig& config, const Embedding& embedding, Index memory_size,
             Index encoder_layers, Index final_size, bool final_has_c);

  [[nodiscard]] Index readout_size() const override { return readout_size_; }

  Mat forward(Values values, const Memory& memory, const Sentences& target, NoiseKeys noise, Workspace& workspace,
              const DecoderSaved** saved) const override;
  void backward(Values values, const Memory& memory, const Sentences& target, const DecoderSaved& saved,
                ConstMat dreadout, const MemoryGrad& dmemory, Grads grads, Workspace& workspace) const override;
  void visit_attention(const Memory& memory, const Sentences& target, const DecoderSaved& saved, Index sentence,
                       Workspace& workspace, const VisitHead& visit) const override;
  [[nodiscard]] std::unique_ptr<DecoderState> start(Values values, const Memory& memory,
                                                    Workspace& workspace) const override;
  Mat step(Values values, DecoderState& state, std::span<const TokenId> tokens, Workspace& workspace) const override;

 private:
  enum class Query { previous, between, current };

  /// Views of one layer in one step.
  struct LayerRows {
    ConstMat h_prev, c_prev;
    Mat h, c, saved;
    Mat x;  ///< layers above the first: their input, after dropout
  };
  /// Views of one step of n rows.
  struct StepRows {
    std::span<const KeyRange> ranges;  ///< of each row: its sentence's rows in memory
    std::span<const std::uint64_t> noise_keys;
    Mat gx;  ///< [n, G H] in: the embedding's share; completed here
    std::span<const LayerRows> layers;
    LayerRows between;  ///< first half of layer 0; h_prev, c_prev unused
    Mat query;          ///< projected
    Mat weights, context;
    ConstMat readout_prev;  ///< input feeding
    Mat readout;            ///< out with input feeding, else empty
  };
  /// What depends on the memory alone, made once a batch.
  struct Prepared {
    ConstMat memory, keys;
  };
  struct Saved;
  struct State;
  class Backward;

  void create_cells(ParamStore& store, const ModelConfig& config);
  void create_attention(ParamStore& store, const ModelConfig& config, Index memory_size);
  void create_readout(ParamStore& store, const ModelConfig& config);

  [[nodiscard]] Index top() const { return static_cast<Index>(layers_.size()) - 1; }
  [[nodiscard]] bool has_context() const { return context_size_ > 0; }
  [[nodiscard]] Prepared prepare(Values values, const Memory& memory, Workspace& workspace) const;
  // Training: buffers of all steps with what they read; then with states; views of one of them.
  Saved& begin(const Memory& memory, const Sentences& target, NoiseKeys noise, Workspace& workspace) const;
  void make_states(Values values, const Memory& memory, Saved& s, Workspace& workspace) const;
  [[nodiscard]] StepRows rows_of_step(const Saved& s, Mat gx, Index t, Workspace& workspace) const;

  /// One time step. Each query mode has its order of cells and attention.
  void step_rows(Values values, const Prepared& prepared, const StepRows& rows, Workspace& workspace) const;
  void step_previous(Values values, const Prepared& prepared, const StepRows& rows, Workspace& workspace) const;
  void step_between(Values values, const Prepared& prepared, const StepRows& rows, Workspace& workspace) const;
  void step_current(Values values, const Prepared& prepared, const StepRows& rows, Workspace& workspace) const;
  void first_cell(Values values, const StepRows& rows, const LayerRows& out, Workspace& workspace) const;
  void upper_layers(Values values, const StepRows& rows, Workspace& workspace) const;
  /// Queries of one time step (or of beams); dot scores take each by itself.
  [[nodiscard]] AttentionInput attention_input(Values values, const Prepared& prepared, ConstMat query,
                                               std::span<const KeyRange> ranges) const;
  void attend_rows(Values values, const Prepared& prepared, ConstMat query, const StepRows& rows,
                   Workspace& workspace) const;
  /// Constant contexts of rows for score none: the encoder's final h.
  void constant_context(const Memory& memory, std::span<const Index> sentences, Mat context) const;
  /// h_0, c_0 of a layer for the given sentences.
  void initial_state(Values values, const Memory& memory, Index layer, std::span<const Index> sentences, Mat h, Mat c,
                     Workspace& workspace) const;
  void initial_backward(Values values, const Memory& memory, Index layer, std::span<const Index> sentences, ConstMat h,
                        ConstMat dh, ConstMat dc, const MemoryGrad& dmemory, Grads grads, Workspace& workspace) const;
  void readout_rows(Values values, ConstMat s, ConstMat context, ConstMat e, Mat r) const;

  Embedding embedding_;
  Dropout embedding_dropout_;
  std::vector<Dropout> layer_dropout_;
  std::vector<RecurrentLayer> layers_;
  Linear first_e_, first_context_, first_readout_;  ///< row ranges of layer 0's W_x, which reads [e; c or r]
  RecurrentLayer second_;                           ///< query between: the second cell of layer 0
  std::optional<AttentionLayer> attention_;
  std::vector<Linear> bridge_;
  Linear readout_s_, readout_context_, readout_e_;  ///< row ranges of the readout's W
  Query query_ = Query::previous;
  bool input_feeding_ = false;
  bool readout_reads_e_ = false;
  std::string init_;
  bool copy_c_ = false;     ///< init last, both LSTM
  Index context_size_ = 0;  ///< 0: no context
  Index readout_size_ = 0;
  Index encoder_layers_ = 0;
};

}  // namespace DRAGOMAN_NAMESPACE
