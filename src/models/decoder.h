// The interface of decoders: Memory and target tokens to readout rows, which the output layer turns into logits.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "attention/memory.h"
#include "core/batch.h"
#include "core/params.h"
#include "core/workspace.h"
#include "layers/dropout.h"
#include "models/attention_map.h"

namespace DRAGOMAN_NAMESPACE {

/// What a forward pass keeps for backward; each decoder has its own.
struct DecoderSaved {};

/// The state of a decoder between two steps of decoding, for any number of rows (hypotheses).
class DecoderState {
 public:
  virtual ~DecoderState() = default;
  /// New row i is old row rows[i]: beams are reordered, finished rows leave.
  virtual void select(std::span<const Index> rows) = 0;
};

class Decoder {
 public:
  virtual ~Decoder() = default;

  [[nodiscard]] virtual Index readout_size() const = 0;
  [[nodiscard]] virtual Index max_tokens() const { return kNoLimit; }  ///< of a sentence, eos included

  /// Teacher forcing: `target` has labels (pieces + eos), the input is bos + pieces. Readout rows [labels, size] in
  /// batch order, before dropout on the readout. `noise`: of each label. saved == nullptr: inference.
  virtual Mat forward(Values values, const Memory& memory, const Sentences& target, NoiseKeys noise,
                      Workspace& workspace, const DecoderSaved** saved) const = 0;
  virtual void backward(Values values, const Memory& memory, const Sentences& target, const DecoderSaved& saved,
                        ConstMat dreadout, const MemoryGrad& dmemory, Grads grads, Workspace& workspace) const = 0;
  /// The heads of one sentence of a saved forward pass.
  virtual void visit_attention(const Memory& memory, const Sentences& target, const DecoderSaved& saved, Index sentence,
                               Workspace& workspace, const VisitHead& visit) const = 0;

  /// Decoding starts with one row a sentence. The memory must outlive the state.
  [[nodiscard]] virtual std::unique_ptr<DecoderState> start(Values values, const Memory& memory,
                                                            Workspace& workspace) const = 0;
  /// Numbers that the state keeps for each row and step.
  [[nodiscard]] virtual Index cached_numbers() const { return 0; }
  /// One step: previous tokens in (bos first), readout rows out (in the workspace).
  virtual Mat step(Values values, DecoderState& state, std::span<const TokenId> tokens, Workspace& workspace) const = 0;
};

}  // namespace DRAGOMAN_NAMESPACE
