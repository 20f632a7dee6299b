#include "app/start_model.h"

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "data/shared_pieces.h"
#include "io/model_place.h"
#include "train/model_file.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

bool has_tokenizer(const fs::path& directory) {
  std::error_code ignored;
  for (const char* name : {"tokenizer.model", "tokenizer.json", "source.model", "source.json"}) {
    if (fs::exists(fs::symlink_status(directory / name, ignored))) return true;
  }
  return false;
}

/// Of the training that the file comes from; nothing when no directory has it.
std::optional<TokenizerPair> tokenizers_of(const fs::path& weights) {
  const fs::path beside = fs::absolute(weights).parent_path();
  if (has_tokenizer(beside)) return TokenizerPair::load(beside);
  const fs::path checkpoints = beside.parent_path();
  if (checkpoints.filename() != "checkpoints" || !has_tokenizer(checkpoints.parent_path())) return std::nullopt;
  return TokenizerPair::load(checkpoints.parent_path());
}

/// The name of a parameter of the model.
std::string name_of(const ParamRef& ref, const ParamStore& store) {
  const auto& params = store.params();
  return std::find_if(params.begin(), params.end(), [&](const Param& p) { return p.ref.offset == ref.offset; })->name;
}

/// A file without a tokenizer: whose pieces its rows are, only the user can know.
void check_unknown_vocabulary(const Config& config, const std::string& weights, const Seq2Seq& model,
                              std::vector<std::string>& warnings) {
  const std::vector<std::string> common = common_names(weights, model.params());
  const auto params = model.piece_params();
  const bool has_pieces = std::any_of(params.begin(), params.end(), [&](const Seq2Seq::PieceParam& p) {
    return std::find(common.begin(), common.end(), name_of(p.ref, model.params())) != common.end();
  });
  if (!has_pieces) return;
  if (config.tokenizer.model_file.empty()) {
    throw UserError(
        weights, 0,
        "training.init_from: there is no tokenizer beside it, so nobody knows which pieces its embeddings "
        "belong to; name its model directory, put tokenizer.* (or source.* and target.*) beside it, or give "
        "that tokenizer as tokenizer.model_file");
  }
  warnings.push_back("training.init_from: " + weights +
                     " has no tokenizer beside it; its embeddings are taken for those of tokenizer.model_file");
}

void check_kind(const char* side, const Tokenizer& now, const Tokenizer& then, const std::string& weights) {
  if (now.type() == then.type()) return;
  throw UserError("training.init_from: the " + std::string(side) + " tokenizer of " + weights + " is of type " +
                  then.type() + ", that of this training of type " + now.type() +
                  ", so they have no pieces in common; a model directory as init_from and no tokenizer section "
                  "take over its tokenizer");
}

}  // namespace

fs::path start_weights(const std::string& init_from) {
  std::error_code ignored;
  return fs::is_directory(init_from, ignored) ? model_place(init_from).weights / "model.safetensors"
                                              : fs::path(init_from);
}

void start_from(const Config& config, const TokenizerPair& tokenizers, Seq2Seq& model,
                std::vector<std::string>& warnings) {
  const std::string weights = start_weights(config.training.init_from).string();
  std::vector<PieceRows> rows;
  if (const std::optional<TokenizerPair> then = tokenizers_of(weights)) {
    struct Side {
      const char* name;
      const Tokenizer &now, &then;
      std::vector<TokenId> from;
    };
    std::vector<Side> sides;
    sides.push_back({"source", *tokenizers.source, *then->source, {}});
    sides.push_back({"target", *tokenizers.target, *then->target, {}});
    for (Side& side : sides) {
      check_kind(side.name, side.now, side.then, weights);
      side.from = shared_pieces(side.now, side.then);
      const auto missing = std::count(side.from.begin(), side.from.end(), -1);
      if (missing == 0) continue;
      warnings.push_back("training.init_from: " + std::to_string(missing) + " of " + std::to_string(side.from.size()) +
                         " " + side.name + " pieces are not in that model's vocabulary; they start at random");
    }
    for (const Seq2Seq::PieceParam& p : model.piece_params()) {
      const Side& side = sides[p.of_target ? 1 : 0];
      rows.push_back({name_of(p.ref, model.params()), p.columns, side.from, static_cast<Index>(side.then.size())});
    }
  } else {
    check_unknown_vocabulary(config, weights, model, warnings);
  }
  for (const std::string& missing : init_from_model(weights, model.params(), rows)) {
    warnings.push_back("training.init_from: " + missing + " keeps its random start");
  }
}

}  // namespace dragoman
