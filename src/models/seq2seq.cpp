#include "models/seq2seq.h"

#include <cmath>

#include "core/error.h"
#include "core/rng.h"
#include "kernels/rows.h"
#include "models/rnn_decoder.h"
#include "models/rnn_encoder.h"
#include "models/transformer_decoder.h"
#include "models/transformer_encoder.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

Real embedding_scale(bool scaled, Index size) { return scaled ? std::sqrt(static_cast<Real>(size)) : 1; }

Embedding add_embedding(ParamStore& store, const std::string& name, const ModelConfig& config, Index vocabulary,
                        Index size, bool scaled, bool tied_to_output) {
  Embedding embedding;
  embedding.table = store.add(name, vocabulary, size,
                              {Init::Kind::normal, embedding_deviation(config, size, scaled || tied_to_output)},
                              tied_to_output ? ParamUse::tied_output : ParamUse::other);
  embedding.scale = embedding_scale(scaled, size);
  return embedding;
}

}  // namespace

Seq2Seq::Seq2Seq(const ModelConfig& config, Index source_vocabulary, Index target_vocabulary) {
  const bool tied_all = config.tied_embeddings == "all";
  const bool tied_output = config.tied_embeddings != "none";
  CHECK(!tied_all || source_vocabulary == target_vocabulary, "tied_embeddings all needs one vocabulary");
  const bool source_scaled = config.scales(config.encoder.recurrent());
  const bool target_scaled = config.scales(config.decoder.recurrent());
  const Embedding source = add_embedding(store_, tied_all ? "embedding" : "encoder.embedding", config,
                                         source_vocabulary, config.encoder.embedding_width(), source_scaled, tied_all);
  const Embedding target = tied_all ? Embedding{source.table, embedding_scale(target_scaled, source.table.cols)}
                                    : add_embedding(store_, "decoder.embedding", config, target_vocabulary,
                                                    config.decoder.embedding_width(), target_scaled, tied_output);
  source_embedding_ = source.table;
  target_embedding_ = target.table;
  if (config.encoder.recurrent()) {
    encoder_ = std::make_unique<RnnEncoder>(store_, config, source);
  } else {
    encoder_ = std::make_unique<TransformerEncoder>(store_, config, source);
  }
  if (config.decoder.recurrent()) {
    decoder_ = std::make_unique<RnnDecoder>(store_, config, target, encoder_->memory_size(), encoder_->final_layers(),
                                            encoder_->final_size(), encoder_->has_final_c());
  } else {
    decoder_ = std::make_unique<TransformerDecoder>(store_, config, target, encoder_->memory_size());
  }
  output_.tied = tied_output;
  output_.w = tied_output ? target.table
                          : store_.add("output.w", decoder_->readout_size(), target_vocabulary,
                                       init_by_name(config.init.weights, config.init.scale, 1));
  output_.b = store_.add_bias("output.b", target_vocabulary);
  context_dropout_ = {static_cast<Real>(config.dropout.context), hash_name("encoder.context")};
  readout_dropout_ = {static_cast<Real>(config.dropout.readout), hash_name("decoder.readout")};
}

std::vector<Seq2Seq::PieceParam> Seq2Seq::piece_params() const {
  std::vector<PieceParam> params = {{source_embedding_, false, false}, {output_.b, true, true}};
  if (target_embedding_.offset != source_embedding_.offset) params.push_back({target_embedding_, true, false});
  if (!output_.tied) params.push_back({output_.w, true, true});
  return params;
}

LossSums Seq2Seq::forward_backward(Values values, const Batch& batch, const Noise& noise, double smoothing, Grads grads,
                                   Workspace& workspace) const {
  if (batch.count() == 0) return {};
  const Workspace::Scope scope(workspace);
  const EncoderSaved* encoder_saved = nullptr;
  const DecoderSaved* decoder_saved = nullptr;
  const NoiseKeys source_noise = noise.row_keys(batch.source.offset, workspace);
  const NoiseKeys target_noise = noise.row_keys(batch.target.offset, workspace);
  const Memory memory = encode(values, batch.source, source_noise, workspace, &encoder_saved);
  const Mat readout = decoder_->forward(values, memory, batch.target, target_noise, workspace, &decoder_saved);
  readout_dropout_.apply(readout, target_noise);

  const Mat dreadout = workspace.mat(readout.rows, readout.cols);
  const LossSums sums = output_.loss_backward(values, readout, batch.target.ids, smoothing, dreadout, grads, workspace);
  readout_dropout_.apply(dreadout, target_noise);
  const std::span<Mat> dfinal_h = workspace.array<Mat>(encoder_->final_layers());
  const std::span<Mat> dfinal_c = workspace.array<Mat>(encoder_->final_layers());
  for (Index l = 0; l < encoder_->final_layers(); ++l) {
    dfinal_h[l] = workspace.zeros(memory.final_h[l].rows, memory.final_h[l].cols);
    dfinal_c[l] = workspace.zeros(memory.final_c[l].rows, memory.final_c[l].cols);
  }
  const MemoryGrad dmemory{workspace.zeros(memory.rows.rows, memory.rows.cols), dfinal_h, dfinal_c};
  decoder_->backward(values, memory, batch.target, *decoder_saved, dreadout, dmemory, grads, workspace);
  context_dropout_.apply(dmemory.rows, source_noise);
  encoder_->backward(values, batch.source, source_noise, *encoder_saved, dmemory, grads, workspace);
  return sums;
}

LossSums Seq2Seq::evaluate(Values values, const Batch& batch, double smoothing, std::span<double> log_probs,
                           Workspace& workspace) const {
  if (batch.count() == 0) return {};
  const Workspace::Scope scope(workspace);
  const Memory memory = encoder_->forward(values, batch.source, {}, workspace, nullptr);
  const Mat readout = decoder_->forward(values, memory, batch.target, {}, workspace, nullptr);
  return output_.loss(values, readout, batch.target.ids, smoothing, log_probs, workspace);
}

void Seq2Seq::visit_attention(Values values, const Batch& batch, Workspace& workspace,
                              const std::function<void(Index sentence, const HeadWeights&)>& visit) const {
  const Workspace::Scope scope(workspace);
  const EncoderSaved* encoder_saved = nullptr;
  const DecoderSaved* decoder_saved = nullptr;
  const Memory memory = encoder_->forward(values, batch.source, {}, workspace, &encoder_saved);
  decoder_->forward(values, memory, batch.target, {}, workspace, &decoder_saved);
  for (Index i = 0; i < batch.count(); ++i) {
    const VisitHead of_sentence = [&](const HeadWeights& head) { visit(i, head); };
    encoder_->visit_attention(batch.source, *encoder_saved, i, workspace, of_sentence);
    decoder_->visit_attention(memory, batch.target, *decoder_saved, i, workspace, of_sentence);
  }
}

std::vector<std::vector<AttentionMap>> Seq2Seq::attention(Values values, const Batch& batch,
                                                          Workspace& workspace) const {
  std::vector<std::vector<AttentionMap>> maps(static_cast<std::size_t>(batch.count()));
  visit_attention(values, batch, workspace,
                  [&](Index sentence, const HeadWeights& head) { maps[sentence].push_back(kept(head)); });
  return maps;
}

Memory Seq2Seq::encode(Values values, const Sentences& source, NoiseKeys noise, Workspace& workspace,
                       const EncoderSaved** saved) const {
  Memory memory = encoder_->forward(values, source, noise, workspace, saved);
  if (context_dropout_.p == 0 || noise.empty()) return memory;
  const Mat dropped = workspace.mat(memory.rows.rows, memory.rows.cols);
  copy(memory.rows, dropped);
  context_dropout_.apply(dropped, noise);
  memory.rows = dropped;
  return memory;
}

Memory Seq2Seq::encode(Values values, const Sentences& source, Workspace& workspace) const {
  return encode(values, source, {}, workspace, nullptr);
}

std::unique_ptr<DecoderState> Seq2Seq::start(Values values, const Memory& memory, Workspace& workspace) const {
  return decoder_->start(values, memory, workspace);
}

Mat Seq2Seq::step(Values values, DecoderState& state, std::span<const TokenId> tokens, Workspace& workspace) const {
  const Mat logits = workspace.mat(static_cast<Index>(tokens.size()), target_vocabulary());
  const Workspace::Scope scope(workspace);
  output_.logits(values, decoder_->step(values, state, tokens, workspace), logits);
  return logits;
}

}  // namespace DRAGOMAN_NAMESPACE
