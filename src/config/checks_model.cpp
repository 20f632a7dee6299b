#include "config/checks.h"

namespace dragoman {
namespace {

/// Width of one row of the encoder's output: what attention's keys and values are.
Index memory_size(const EncoderConfig& encoder) { return encoder.hidden_size * (encoder.bidirectional ? 2 : 1); }

void check_attention(Checker& checker) {
  const ModelConfig& model = checker.config().model;
  const AttentionConfig& attention = model.decoder.attention;
  const std::string score = "model.decoder.attention.score";
  const Index keys = memory_size(model.encoder);
  const Index query = model.decoder.hidden_size;

  if (attention.score == "dot" || attention.score == "scaled_dot") {
    const std::string widths = "a query (" + std::to_string(query) + ") as wide as a key (" + std::to_string(keys) +
                               (model.encoder.bidirectional ? ", both directions" : "") + ")";
    checker.require(keys == query,
                    {score, "model.decoder.hidden_size", "model.encoder.hidden_size", "model.encoder.bidirectional"},
                    widths + ", because " + attention.score + " multiplies them as they are",
                    "use score general, or decoder.hidden_size " + std::to_string(keys));
  }
  checker.only_when(attention.score == "additive", "model.decoder.attention.size", {score},
                    "only the additive score has a width of its own", "use score additive");
  checker.only_when(attention.score == "none", "model.decoder.attention.context", {score},
                    "with attention the context is new at every step", "use score none");
  checker.require(!model.decoder.input_feeding || attention.query == "current",
                  {"model.decoder.input_feeding", "model.decoder.attention.query"},
                  "query current, because only there the readout can feed the next step",
                  "use query current, or input_feeding: false");
  checker.require(!(attention.score == "none" && attention.context == "start" && model.decoder.init == "zero"),
                  {"model.decoder.init", score, "model.decoder.attention.context"},
                  "a decoder that sees the source sentence", "use init bridge, or context every_step");
}

void check_init(Checker& checker) {
  const ModelConfig& model = checker.config().model;
  const Index final_size = memory_size(model.encoder);
  checker.require(
      model.decoder.init != "last" || final_size == model.decoder.hidden_size,
      {"model.decoder.init", "model.decoder.hidden_size", "model.encoder.hidden_size", "model.encoder.bidirectional"},
      "an encoder state (" + std::to_string(final_size) + (model.encoder.bidirectional ? ", both directions" : "") +
          ") as wide as the decoder's (" + std::to_string(model.decoder.hidden_size) + "), because last copies it",
      "use init bridge, or decoder.hidden_size " + std::to_string(final_size));
  const auto scaled = [](const std::string& way) { return way == "normal" || way == "uniform"; };
  checker.only_when(scaled(model.init.weights) || scaled(model.init.recurrent), "model.init.scale",
                    {"model.init.weights", "model.init.recurrent"}, "only normal and uniform read it",
                    "use weights normal or uniform");
  checker.only_when(model.encoder.cell == "lstm" || model.decoder.cell == "lstm", "model.init.forget_bias",
                    {"model.encoder.cell", "model.decoder.cell"}, "only an LSTM has a forget gate", "use cell lstm");
}

void check_tied(Checker& checker) {
  const Config& config = checker.config();
  if (config.model.tied_embeddings != "all") return;
  const std::string tied = "model.tied_embeddings";
  checker.require(config.tokenizer.shared, {tied, "tokenizer.shared"},
                  "a shared tokenizer, because one matrix needs one vocabulary",
                  "use tokenizer.shared: true, or target");
  checker.require(config.model.encoder.embedding_size == config.model.decoder.embedding_size,
                  {tied, "model.encoder.embedding_size", "model.decoder.embedding_size"},
                  "equal embedding sizes, because both sides use one matrix", "make them equal, or use target");
}

}  // namespace

void check_model(Checker& checker) {
  const ModelConfig& model = checker.config().model;
  check_attention(checker);
  check_init(checker);
  check_tied(checker);
  checker.only_when(model.encoder.layers > 1 || model.decoder.layers > 1, "model.dropout.layers",
                    {"model.encoder.layers", "model.decoder.layers"}, "nothing lies between layers of one",
                    "use more layers");
  checker.only_when(model.decoder.attention.score != "none", "model.dropout.context", {"model.decoder.attention.score"},
                    "there are no keys and values without attention", "use an attention score");
}

}  // namespace dragoman
