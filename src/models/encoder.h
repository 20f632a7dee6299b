// The interface of encoders: source tokens to Memory.
#pragma once

#include "attention/memory.h"
#include "core/batch.h"
#include "core/params.h"
#include "core/workspace.h"
#include "layers/dropout.h"
#include "models/attention_map.h"

namespace DRAGOMAN_NAMESPACE {

/// What a forward pass keeps for backward; each encoder has its own.
struct EncoderSaved {};

class Encoder {
 public:
  virtual ~Encoder() = default;

  [[nodiscard]] virtual Index memory_size() const = 0;   ///< width of Memory::rows
  [[nodiscard]] virtual Index final_layers() const = 0;  ///< number of final states
  [[nodiscard]] virtual Index final_size() const = 0;    ///< width of the final states
  [[nodiscard]] virtual bool has_final_c() const = 0;
  [[nodiscard]] virtual Index max_tokens() const { return kNoLimit; }  ///< of a sentence, eos included

  /// `noise`: of each row of the source. saved == nullptr: inference. The Memory lives in the workspace.
  virtual Memory forward(Values values, const Sentences& source, NoiseKeys noise, Workspace& workspace,
                         const EncoderSaved** saved) const = 0;
  /// dmemory is used up.
  virtual void backward(Values values, const Sentences& source, NoiseKeys noise, const EncoderSaved& saved,
                        const MemoryGrad& dmemory, Grads grads, Workspace& workspace) const = 0;
  /// The heads of one sentence of a saved forward pass; a recurrent encoder has none.
  virtual void visit_attention(const Sentences& /*source*/, const EncoderSaved& /*saved*/, Index /*sentence*/,
                               Workspace& /*workspace*/, const VisitHead& /*visit*/) const {}
};

}  // namespace DRAGOMAN_NAMESPACE
