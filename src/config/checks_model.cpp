#include "attention/scores.h"
#include "config/checks.h"
#include "recurrent/cells.h"

namespace dragoman {
namespace {

/// Keys that set the width of the encoder's output.
std::vector<std::string> memory_keys(const EncoderConfig& encoder) {
  if (!encoder.recurrent()) return {"model.encoder.model_size"};
  return {"model.encoder.hidden_size", "model.encoder.bidirectional"};
}

std::string both_directions(const EncoderConfig& encoder) {
  return encoder.recurrent() && encoder.bidirectional ? ", both directions" : "";
}

std::vector<std::string> with_memory_keys(std::vector<std::string> keys, const EncoderConfig& encoder) {
  for (std::string& key : memory_keys(encoder)) keys.push_back(std::move(key));
  return keys;
}

/// Keys of the other type would do nothing.
void check_type(Checker& checker, const std::string& side, bool recurrent, const std::vector<std::string>& rnn_keys) {
  const std::string prefix = side + ".";
  const std::string type = prefix + "type";
  for (const std::string& key : rnn_keys) {
    checker.only_when(recurrent, prefix + key, {type}, "only type rnn reads it", "use type rnn");
  }
  for (const char* key : {"model_size", "heads", "ffn_size", "norm", "activation", "positions", "max_positions",
                          "key_size", "value_size", "score"}) {
    checker.only_when(!recurrent, prefix + key, {type}, "only type transformer reads it", "use type transformer");
  }
}

void check_transformer(Checker& checker, const std::string& side, const TransformerConfig& config) {
  const std::string size = side + ".model_size";
  const std::string heads = side + ".heads";
  const bool both_set = config.key_size > 0 && config.value_size > 0;
  checker.require(both_set || config.model_size % config.heads == 0, {heads, size},
                  "heads that divide model_size, because each gets an equal share of it",
                  "use another number of heads, or set key_size and value_size");
  checker.only_when(config.positions == "learned", side + ".max_positions", {side + ".positions"},
                    "only learned positions have a table", "use positions learned");
  const auto longest = static_cast<Index>(checker.config().data.max_length);
  checker.require(config.positions != "learned" || config.max_positions > longest,
                  {side + ".max_positions", "data.max_length"},
                  "max_positions above max_length, because a sentence of max_length pieces has one token more",
                  "use more max_positions or a smaller max_length");
}

void check_attention(Checker& checker) {
  const ModelConfig& model = checker.config().model;
  const AttentionConfig& attention = model.decoder.attention;
  const std::string score = "model.decoder.attention.score";
  const Index keys = model.encoder.memory_size();
  const Index query = model.decoder.hidden_size;

  const Score* chosen = scores().find(attention.score);  // null: none
  if (chosen != nullptr && !chosen->projects_keys) {
    const std::string widths = "a query (" + std::to_string(query) + ") as wide as a key (" + std::to_string(keys) +
                               both_directions(model.encoder) + ")";
    checker.require(keys == query, with_memory_keys({score, "model.decoder.hidden_size"}, model.encoder),
                    widths + ", because " + attention.score + " multiplies them as they are",
                    "use score general, or decoder.hidden_size " + std::to_string(keys));
  }
  checker.only_when(chosen != nullptr && chosen->projects_queries, "model.decoder.attention.size", {score},
                    "only a score that projects queries has a width of its own", "use score additive");
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
  const Index final_size = model.encoder.memory_size();
  checker.require(model.decoder.init != "last" || final_size == model.decoder.hidden_size,
                  with_memory_keys({"model.decoder.init", "model.decoder.hidden_size"}, model.encoder),
                  "an encoder state (" + std::to_string(final_size) + both_directions(model.encoder) +
                      ") as wide as the decoder's (" + std::to_string(model.decoder.hidden_size) +
                      "), because last copies it",
                  "use init bridge, or decoder.hidden_size " + std::to_string(final_size));
}

void check_starting_values(Checker& checker) {
  const ModelConfig& model = checker.config().model;
  const std::vector<std::string> types = {"model.encoder.type", "model.decoder.type"};
  const bool recurrent = model.encoder.recurrent() || model.decoder.recurrent();
  const auto forgets = [](const std::string& name) {
    const Cell* cell = cells().find(name);
    return cell != nullptr && cell->forget_gate >= 0;
  };
  const auto scaled = [](const std::string& way) { return way == "normal" || way == "uniform"; };
  checker.only_when(scaled(model.init.weights) || (recurrent && scaled(model.init.recurrent)), "model.init.scale",
                    {"model.init.weights", "model.init.recurrent"}, "only normal and uniform read it",
                    "use weights normal or uniform");
  checker.only_when(recurrent, "model.init.recurrent", types, "only type rnn has hidden-to-hidden matrices",
                    "use type rnn");
  checker.only_when(recurrent, "model.init.forget_bias", types, "only type rnn has a forget gate", "use type rnn");
  if (!recurrent) return;
  checker.only_when((model.encoder.recurrent() && forgets(model.encoder.cell)) ||
                        (model.decoder.recurrent() && forgets(model.decoder.cell)),
                    "model.init.forget_bias", {"model.encoder.cell", "model.decoder.cell"},
                    "the cell has no forget gate", "use cell lstm");
}

void check_tied(Checker& checker) {
  const Config& config = checker.config();
  if (config.model.tied_embeddings != "all") return;
  const std::string tied = "model.tied_embeddings";
  checker.require(config.tokenizer.shared, {tied, "tokenizer.shared"},
                  "a shared tokenizer, because one matrix needs one vocabulary",
                  "use tokenizer.shared: true, or target");
  const auto width_key = [](const std::string& side, bool recurrent) {
    return "model." + side + (recurrent ? ".embedding_size" : ".model_size");
  };
  checker.require(config.model.encoder.embedding_width() == config.model.decoder.embedding_width(),
                  {tied, width_key("encoder", config.model.encoder.recurrent()),
                   width_key("decoder", config.model.decoder.recurrent())},
                  "equal widths of the embeddings, because both sides use one matrix",
                  "make them equal, or use target");
}

void check_dropout(Checker& checker) {
  const ModelConfig& model = checker.config().model;
  const std::string layers = "model.dropout.layers";
  const std::string encoder = "model.encoder.type";
  const std::string decoder = "model.decoder.type";
  const bool recurrent = model.encoder.recurrent() || model.decoder.recurrent();
  const bool between = (model.encoder.recurrent() && model.encoder.layers > 1) ||
                       (model.decoder.recurrent() && model.decoder.layers > 1);
  checker.only_when(recurrent, layers, {encoder, decoder}, "only recurrent layers read it", "use dropout.residual");
  if (recurrent) {
    checker.only_when(between, layers, {"model.encoder.layers", "model.decoder.layers"},
                      "nothing lies between recurrent layers of one", "use more layers");
  }
  checker.only_when(!model.decoder.recurrent() || model.decoder.attention.score != "none", "model.dropout.context",
                    {"model.decoder.attention.score"}, "there are no keys and values without attention",
                    "use an attention score");
  checker.only_when(model.decoder.recurrent(), "model.dropout.readout", {decoder},
                    "only a recurrent decoder has a readout layer", "use dropout.residual");
  for (const char* key : {"residual", "attention", "ffn"}) {
    checker.only_when(!model.encoder.recurrent() || !model.decoder.recurrent(), std::string("model.dropout.") + key,
                      {encoder, decoder}, "only Transformer layers read it", "use type transformer");
  }
}

}  // namespace

void check_model(Checker& checker) {
  const ModelConfig& model = checker.config().model;
  check_type(checker, "model.encoder", model.encoder.recurrent(),
             {"cell", "bidirectional", "embedding_size", "hidden_size"});
  check_type(checker, "model.decoder", model.decoder.recurrent(),
             {"cell", "embedding_size", "hidden_size", "input_feeding", "init", "attention.score", "attention.query",
              "attention.context", "attention.size"});
  if (!model.encoder.recurrent()) check_transformer(checker, "model.encoder", model.encoder.transformer);
  if (model.decoder.recurrent()) {
    check_attention(checker);
    check_init(checker);
  } else {
    check_transformer(checker, "model.decoder", model.decoder.transformer);
  }
  check_starting_values(checker);
  check_tied(checker);
  check_dropout(checker);
}

}  // namespace dragoman
