// The recurrent encoder: embedding, then recurrent layers in one or two directions.
#pragma once

#include <vector>

#include "layers/embedding.h"
#include "models/encoder.h"
#include "models/model_config.h"
#include "recurrent/bidirectional.h"

namespace DRAGOMAN_NAMESPACE {

RecurrentInit recurrent_init(const InitConfig& init);

class RnnEncoder : public Encoder {
 public:
  /// `embedding` is declared by the model, which decides about tying.
  RnnEncoder(ParamStore& store, const ModelConfig& config, const Embedding& embedding);

  [[nodiscard]] Index memory_size() const override { return layers_.back().size(); }
  [[nodiscard]] Index final_layers() const override { return layers(); }
  [[nodiscard]] Index final_size() const override { return layers_.back().size(); }
  [[nodiscard]] bool has_final_c() const override { return layers_.back().has_memory(); }

  Memory forward(Values values, const Sentences& source, NoiseKeys noise, Workspace& workspace,
                 const EncoderSaved** saved) const override;
  void backward(Values values, const Sentences& source, NoiseKeys noise, const EncoderSaved& saved,
                const MemoryGrad& dmemory, Grads grads, Workspace& workspace) const override;

 private:
  [[nodiscard]] Index layers() const { return static_cast<Index>(layers_.size()); }

  struct Saved : EncoderSaved {
    std::span<Bidirectional::Saved> layers;
  };

  Embedding embedding_;
  std::vector<Bidirectional> layers_;
  Dropout embedding_dropout_;
  std::vector<Dropout> layer_dropout_;  ///< on the input of layer l > 0
};

}  // namespace DRAGOMAN_NAMESPACE
