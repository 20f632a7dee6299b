// The gradient check of a whole model (double build).
#pragma once

#include <string>
#include <vector>

#include "models/seq2seq.h"
#include "support/gradient_check.h"
#include "support/tiny_model.h"

namespace DRAGOMAN_NAMESPACE {

/// All parameters of a model of this configuration, over tiny_batch(), with label smoothing.
inline void check_model(const ModelConfig& config, const std::string& name, bool dropout) {
  SCOPED_TRACE(name);
  const bool shared = config.tied_embeddings == "all";
  const Index source_vocabulary = shared ? kTargetVocabulary : kSourceVocabulary;
  Seq2Seq model(config, source_vocabulary, kTargetVocabulary);
  model.params().initialize(3);
  for (const Param& p : model.params().params()) {  // biases too
    if (p.decay) continue;
    Rng rng(hash_name(p.name));
    for (Index j = 0; j < p.ref.cols; ++j) model.params().data()[p.ref.offset + j] += 0.3 * rng.normal();
  }
  const Batch batch = tiny_batch(source_vocabulary);
  const std::vector<std::uint64_t> ids = {7, 8, 9};
  const Noise noise = dropout ? Noise{99, ids} : Noise{};
  constexpr double kSmoothing = 0.1;

  std::vector<Real> noise_fill(model.params().size());
  Rng rng(5);
  for (Real& x : noise_fill) x = rng.normal();
  std::vector<Real> gradient = noise_fill;  // gradients accumulate: start from noise, subtract it afterwards
  Workspace workspace;
  model.forward_backward(model.values(), batch, noise, kSmoothing, {gradient.data()}, workspace);
  for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] -= noise_fill[i];

  std::vector<Real> unused(model.params().size());
  const auto loss = [&] {
    workspace.reset();
    if (!dropout) return model.evaluate(model.values(), batch, kSmoothing, {}, workspace).loss;
    return model.forward_backward(model.values(), batch, noise, kSmoothing, {unused.data()}, workspace).loss;
  };
  for (const Param& p : model.params().params()) {
    check_gradient(p.name, model.params().data() + p.ref.offset, gradient.data() + p.ref.offset,
                   p.ref.rows * p.ref.cols, loss);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace DRAGOMAN_NAMESPACE
