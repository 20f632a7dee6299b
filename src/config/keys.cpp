// Every key of a configuration, in the order of configs/reference.yaml and docs/configuration.md. A new key is a field
// of a struct and one entry here; when it only works with other keys, say so in its sentence and add a check in
// checks_*.
#include <functional>

#include "attention/scores.h"
#include "config/key_table.h"
#include "data/tokenizer_kinds.h"
#include "recurrent/cells.h"
#include "train/optimizer_rules.h"
#include "train/schedule_shapes.h"
#include "train/validation_metrics.h"

namespace dragoman {
namespace {

std::vector<std::string> recurrent_scores() {
  std::vector<std::string> names = scores().names();
  names.insert(names.begin(), "none");
  return names;
}

}  // namespace

void KeyTable::add_general(Config& config) {
  add("name", &config.name, anything(),
      "Name of the experiment; the model goes to models/NAME unless model_dir says so.");
  add("seed", &config.seed, at_least(0), "Seed of initialization, dropout and the order of the data.");
  add("threads", &config.threads, between(0, 1024),
      "Threads; 0: as many as there are processors to use. The result does not depend on it.");
}

void KeyTable::add_data(DataOptions& data, TokenizerOptions& tokenizer) {
  section("data", "Parallel text: UTF-8, one sentence a line, .gz allowed; relative to the current directory.");
  const auto files = [&](const std::string& path, ParallelFiles& files, const std::string& meaning) {
    section(path, meaning);
    add(path + ".source", &files.source, anything(), "Source side: a file or a list of files.");
    add(path + ".target", &files.target, anything(), "Target side: as many files as the source side.");
    add(path + ".tsv", &files.tsv, anything(), "Instead of source and target: the pair in the first two columns.");
  };
  files("data.train", data.train, "Training pairs.");
  files("data.dev", data.dev, "Pairs for validation while training; without them the last model is kept.");
  files("data.test", data.test, "Pairs for one evaluation at the end, with the best model and the decoding settings.");
  add("data.max_length", &data.max_length, between(1, 100000),
      "Longest training sentence in pieces, without the end-of-sentence token, on either side.");
  add("data.on_long", &data.on_long, one_of({"skip", "truncate"}), "What to do with longer training pairs.");
  add("data.normalization", &data.normalization, one_of({"clean", "none"}),
      "clean: NFC, spaces unified and collapsed, control characters out; the same in training, in translation and for "
      "references.");
  add("data.tsv_header", &data.tsv_header, anything(), "The first line of a tsv file is a header.");

  section("tokenizer", "How text becomes pieces.");
  add("tokenizer.type", &tokenizer.type, one_of(tokenizer_kinds().names()),
      "sentencepiece: subwords; word: split at spaces; char: single characters.");
  add("tokenizer.model_type", &tokenizer.model_type, one_of({"bpe", "unigram"}),
      "Algorithm of a SentencePiece model that is trained here.");
  add("tokenizer.vocab_size", &tokenizer.vocab_size, between(4, 1000000),
      "Pieces, control tokens included; an upper limit for word and char.");
  add("tokenizer.shared", &tokenizer.shared, anything(), "One vocabulary for both sides.");
  add("tokenizer.character_coverage", &tokenizer.character_coverage, between(0.98, 1),
      "Share of characters a SentencePiece model that is trained here covers; 0.9995 for Chinese or Japanese.");
  add("tokenizer.min_frequency", &tokenizer.min_frequency, between(1, 1000000000),
      "word and char: types rarer than this become unknown.");
  add("tokenizer.user_defined_symbols", &tokenizer.user_defined_symbols, texts(),
      "Markup such as `<b>` or placeholders: each is one piece; for words only where it stands between spaces.");
  add("tokenizer.model_file", &tokenizer.model_file, anything(),
      "A ready SentencePiece model or vocabulary (.json) of this type, used as it is; the source's when not shared.");
  add("tokenizer.target_model_file", &tokenizer.target_model_file, anything(),
      "The ready model or vocabulary of the target side when not shared.");

  section("tokenizer.sampling", "Subword sampling: each epoch sees other pieces of the same training words.");
  add("tokenizer.sampling.alpha", &tokenizer.sampling.alpha, between(0, 1),
      "0: off. bpe: probability of leaving out a merge (BPE-dropout); unigram: exponent of the probabilities.");
}

void KeyTable::add_transformer(const std::string& side, TransformerConfig& config) {
  const std::string of_transformer = "transformer: ";
  const auto key = [&](const char* name, auto* field, const Allowed& allowed, const std::string& meaning) {
    add(side + "." + name, field, allowed, of_transformer + meaning);
  };
  key("model_size", &config.model_size, between(1, 65536), "width of embeddings and layers.");
  key("heads", &config.heads, between(1, 1024), "attention heads; they divide model_size unless both sizes are set.");
  key("ffn_size", &config.ffn_size, between(1, 1048576), "inner width of the feed-forward layers.");
  key("norm", &config.norm, one_of({"post", "pre"}),
      "layer norm after each residual sum, or before each sub-layer and once at the end.");
  key("activation", &config.activation, one_of({"relu", "gelu", "swish"}), "activation of the feed-forward layers.");
  key("positions", &config.positions, one_of({"sinusoidal", "learned", "none"}), "how tokens know their positions.");
  key("max_positions", &config.max_positions, between(2, 1000000),
      "longest sentence with learned positions, end of sentence included.");
  key("key_size", &config.key_size, between(0, 65536), "width of queries and keys a head; 0: model_size / heads.");
  key("value_size", &config.value_size, between(0, 65536), "width of values a head; 0: model_size / heads.");
  key("score", &config.score, one_of(scores().names_of(std::mem_fn(&Score::is_plain))),
      "attention score of all heads.");
}

void KeyTable::add_model(ModelConfig& model) {
  section("model", "Encoder, decoder and what lies between; any type of encoder goes with any type of decoder.");
  section("model.encoder", "Reads the source sentence.");
  EncoderConfig& encoder = model.encoder;
  add("model.encoder.type", &encoder.type, one_of({"rnn", "transformer"}), "Kind of encoder.");
  add("model.encoder.layers", &encoder.layers, between(1, 64), "Layers.");
  add("model.encoder.cell", &encoder.cell, one_of(cells().names()), "rnn: recurrent cell.");
  add("model.encoder.bidirectional", &encoder.bidirectional, anything(),
      "rnn: each layer reads in both directions and gives 2 x hidden_size.");
  add("model.encoder.embedding_size", &encoder.embedding_size, between(1, 65536), "rnn: width of source embeddings.");
  add("model.encoder.hidden_size", &encoder.hidden_size, between(1, 65536), "rnn: width of the state, per direction.");
  add_transformer("model.encoder", encoder.transformer);

  section("model.decoder", "Writes the target sentence.");
  DecoderConfig& decoder = model.decoder;
  add("model.decoder.type", &decoder.type, one_of({"rnn", "transformer"}), "Kind of decoder.");
  add("model.decoder.layers", &decoder.layers, between(1, 64), "Layers.");
  add("model.decoder.cell", &decoder.cell, one_of(cells().names()), "rnn: recurrent cell.");
  add("model.decoder.embedding_size", &decoder.embedding_size, between(1, 65536), "rnn: width of target embeddings.");
  add("model.decoder.hidden_size", &decoder.hidden_size, between(1, 65536), "rnn: width of the state.");
  add("model.decoder.input_feeding", &decoder.input_feeding, anything(),
      "rnn: the cell also reads the previous readout (Luong et al. 2015); only with query current.");
  add("model.decoder.init", &decoder.init, one_of({"bridge", "last", "zero"}),
      "rnn: first state: tanh layer on the encoder's final state, that state itself (equal sizes), or zero.");
  add_transformer("model.decoder", decoder.transformer);

  section("model.decoder.attention", "How a recurrent decoder looks at the encoder.");
  AttentionConfig& attention = decoder.attention;
  add("model.decoder.attention.score", &attention.score, one_of(recurrent_scores()),
      "Score of a query and a key; dot and scaled_dot need equal sizes; none: the final encoder state only.");
  add("model.decoder.attention.query", &attention.query, one_of({"previous", "between", "current"}),
      "State that asks: of the previous step (Bahdanau), within the step (conditional GRU), of this step (Luong).");
  add("model.decoder.attention.context", &attention.context, one_of({"start", "every_step"}),
      "score none: the final encoder state is read at the start only, or at every step.");
  add("model.decoder.attention.size", &attention.size, between(0, 65536),
      "Width of queries and keys for scores that project both (additive); 0: the decoder's hidden_size.");

  add("model.tied_embeddings", &model.tied_embeddings, one_of({"none", "target", "all"}),
      "target: target embedding = output matrix; all: = source embedding too (shared tokenizer, equal sizes).");
  add("model.scale_embeddings", &model.scale_embeddings, one_of({"auto", "true", "false"}),
      "Multiply embeddings by the square root of their width; auto: on Transformer sides.");

  section("model.dropout", "Probability of dropping a number, by place.");
  add("model.dropout.embedding", &model.dropout.embedding, between(0, 0.99),
      "Embeddings of both sides, with their positions.");
  add("model.dropout.layers", &model.dropout.layers, between(0, 0.99), "rnn: between recurrent layers.");
  add("model.dropout.context", &model.dropout.context, between(0, 0.99),
      "Encoder output as keys and values of attention.");
  add("model.dropout.readout", &model.dropout.readout, between(0, 0.99), "rnn: readout, before the output product.");
  add("model.dropout.residual", &model.dropout.residual, between(0, 0.99),
      "transformer: output of each sub-layer, before the residual sum.");
  add("model.dropout.attention", &model.dropout.attention, between(0, 0.99), "transformer: attention weights.");
  add("model.dropout.ffn", &model.dropout.ffn, between(0, 0.99),
      "transformer: feed-forward layers, after the activation.");

  section("model.init", "How parameters start.");
  const std::vector<std::string> ways = {"xavier", "normal", "uniform", "orthogonal"};
  add("model.init.weights", &model.init.weights, one_of(ways), "Matrices other than embeddings and recurrent ones.");
  add("model.init.recurrent", &model.init.recurrent, one_of(ways), "Hidden-to-hidden matrices, each gate by itself.");
  add("model.init.scale", &model.init.scale, between(0, 100), "Deviation of normal, half-width of uniform.");
  add("model.init.embedding_deviation", &model.init.embedding_deviation, between(0, 100),
      "Deviation of embeddings; 0: size^-0.5 when scaled or tied to the output, else 0.1.");
  add("model.init.forget_bias", &model.init.forget_bias, between(-100, 100), "Bias of the LSTM's forget gate.");
}

void KeyTable::add_training(TrainOptions& training) {
  section("training", "How the model is trained.");
  add("training.model_dir", &training.model_dir, anything(), "Where the model goes; empty: models/NAME.");
  add("training.init_from", &training.init_from, anything(),
      "A model directory to start from, whose model and tokenizer keys count where none are set here; or a "
      "model.safetensors. Tensors are taken by name, rows of embeddings by piece; empty: none.");
  add("training.batch_tokens", &training.batch_tokens, between(1, 10000000),
      "Labels (target pieces with end of sentence) in a micro-batch, at most.");
  add("training.accumulate", &training.accumulate, between(1, 10000), "Micro-batches in an update.");
  add("training.max_updates", &training.max_updates, at_least(0), "Stop after so many updates; 0: no limit.");
  add("training.max_epochs", &training.max_epochs, at_least(0),
      "Stop after so many passes over the data; 0: no limit.");
  add("training.clip_norm", &training.clip_norm, at_least(0),
      "Limit of the global norm of the gradient of the mean loss per label; 0: off.");
  add("training.label_smoothing", &training.label_smoothing, probability(),
      "Share of the label's probability spread over the whole vocabulary; 0: off.");
  add("training.ema", &training.ema, probability(),
      "Decay of an exponential moving average of the weights, which is then validated and saved; 0: off.");
  add("training.shards", &training.shards, power_of_two(64),
      "Pieces of a batch that run in parallel, at least as many as threads; part of the result, unlike threads.");
  add("training.piece_tokens", &training.piece_tokens, at_least(0),
      "Tokens of the longer side that a shard processes at a time; 0: all. Saves memory; part of the result, as "
      "shards.");
  add("training.precision", &training.precision, one_of({"float32", "bfloat16"}),
      "bfloat16: inputs of products with weights are rounded to it; fast on CPUs with AVX-512 BF16, else emulated.");
  add("training.window", &training.window, between(1, 100000000), "Lines shuffled, sorted and batched together.");
  add("training.on_divergence", &training.on_divergence, one_of({"stop", "skip", "rollback"}),
      "When numbers are not finite: stop; skip the batch; or go back to the last checkpoint, then leave the batch "
      "out.");
  add("training.log_every", &training.log_every, at_least(1), "Updates between log lines.");

  add_optimization(training.optimizer, training.schedule);
  add_validation(training.validation);

  section("training.checkpoints", "States to resume from.");
  add("training.checkpoints.every_updates", &training.checkpoints.every_updates, at_least(0),
      "Updates between checkpoints; 0: at each validation, without data.dev after each epoch.");
  add("training.checkpoints.keep", &training.checkpoints.keep, between(1, 1000000),
      "Latest checkpoints kept, beside the best model.");
  add("training.checkpoints.average_last", &training.checkpoints.average_last, between(0, 1000),
      "Validate and save the mean of so many latest checkpoints instead of the current weights; 0: off.");
}

void KeyTable::add_optimization(OptimizerOptions& optimizer, ScheduleOptions& schedule) {
  section("training.optimizer", "From gradients to parameters.");
  add("training.optimizer.type", &optimizer.type, one_of(optimizer_rules().names()),
      "adamw is adam with decoupled weight decay.");
  add("training.optimizer.learning_rate", &optimizer.learning_rate, above(0), "Highest learning rate of the schedule.");
  add("training.optimizer.betas", NumberPair{&optimizer.beta1, &optimizer.beta2}, probability(),
      "adam, adamw: decay of the first and second moment.");
  add("training.optimizer.epsilon", &optimizer.epsilon, above(0), "adam, adamw: added to the denominator.");
  add("training.optimizer.momentum", &optimizer.momentum, probability(), "sgd: momentum; 0: none.");
  add("training.optimizer.weight_decay", &optimizer.weight_decay, probability(),
      "adamw: decoupled weight decay; biases and norms are left alone.");

  section("training.schedule", "Learning rate over the updates.");
  add("training.schedule.type", &schedule.type, one_of(schedule_shapes().names()),
      "Course after the warm-up: constant, x sqrt(warmup/update), falling until total, or reduced when stuck.");
  add("training.schedule.warmup", &schedule.warmup, at_least(0), "Updates of linear warm-up to learning_rate.");
  add("training.schedule.total", &schedule.total, at_least(0),
      "linear, cosine: the update at which the lowest rate is reached; 0: max_updates.");
  add("training.schedule.final_factor", &schedule.final_factor, between(0, 1),
      "linear, cosine: lowest rate as a share of learning_rate.");
  add("training.schedule.factor", &schedule.factor, inside(0, 1), "plateau: multiply the rate by this.");
  add("training.schedule.patience", &schedule.patience, at_least(1),
      "plateau: after so many validations in a row without improvement.");
}

void KeyTable::add_validation(ValidationOptions& validation) {
  section("training.validation", "Measured on data.dev while training; the metrics also on data.test at the end.");
  const std::vector<std::string> metrics = validation_metrics().names();
  add("training.validation.every_updates", &validation.every_updates, at_least(0),
      "Updates between validations; 0: count epochs.");
  add("training.validation.every_epochs", &validation.every_epochs, at_least(1),
      "Epochs between validations when every_updates is 0.");
  add("training.validation.at_start", &validation.at_start, anything(), "Validate once before the first update.");
  add("training.validation.metrics", &validation.metrics, one_of(metrics), "What to measure.");
  add("training.validation.tokenize", &validation.tokenize, one_of({"13a", "none", "char", "intl"}),
      "Tokenization inside BLEU.");
  add("training.validation.lowercase", &validation.lowercase, anything(), "BLEU without regard to case.");
  add("training.validation.beam_size", &validation.beam_size, between(1, 1000),
      "Beam of bleu and sequence_accuracy during training; 1: greedy.");

  section("training.validation.early_stopping", "When to stop; the metric also decides which model is the best.");
  EarlyStoppingOptions& stopping = validation.early_stopping;
  add("training.validation.early_stopping.metric", &stopping.metric, one_of(metrics), "One of the metrics measured.");
  add("training.validation.early_stopping.patience", &stopping.patience, at_least(0),
      "Stop after so many validations in a row without improvement; 0: never.");
}

void KeyTable::add_decoding(DecodeOptions& decoding) {
  section("decoding", "Translation: defaults of `dragoman translate`, and the evaluation of data.test.");
  add("decoding.beam_size", &decoding.beam_size, between(1, 1000), "Hypotheses kept a step; 1: greedy.");
  section("decoding.length_penalty", "Hypotheses are ordered by log-probability / penalty(length).");
  add("decoding.length_penalty.formula", &decoding.length_penalty, one_of({"none", "average", "gnmt"}),
      "none: 1; average: length^alpha; gnmt: ((5 + length) / 6)^alpha.");
  add("decoding.length_penalty.alpha", &decoding.alpha, between(0, 100), "average, gnmt: exponent.");
  section("decoding.max_length", "Longest translation in pieces: factor x source pieces + extra.");
  add("decoding.max_length.factor", &decoding.max_length_factor, between(0, 1000), "Times the source pieces.");
  add("decoding.max_length.extra", &decoding.max_length_extra, between(0, 1000000), "Pieces added.");
  add("decoding.min_length", &decoding.min_length, between(0, 1000000), "Pieces before a translation may end.");
  add("decoding.max_input", &decoding.max_input, between(1, 1000000),
      "Source pieces; longer lines are cut, with a warning.");
  add("decoding.stop", &decoding.stop, one_of({"finished", "exact"}),
      "finished: when beam_size hypotheses have ended; exact: when none alive can become the best.");
  add("decoding.allow_unknown", &decoding.allow_unknown, anything(), "May the unknown token be generated.");
  add("decoding.replace_unknown", &decoding.replace_unknown, anything(),
      "With allow_unknown: write, in its place, the source piece that the decoder attends to most.");
  add("decoding.precision", &decoding.precision, one_of({"float32", "bfloat16"}),
      "bfloat16: as training.precision; scores are then those of the rounded products, not those of `score`.");
  add("decoding.batch_sentences", &decoding.batch_sentences, between(1, 100000),
      "Sentences decoded together; changes no result.");
}

}  // namespace dragoman
