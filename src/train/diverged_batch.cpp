#include "train/diverged_batch.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "core/error.h"
#include "io/atomic_file.h"
#include "io/byte_stream.h"
#include "io/json_read.h"
#include "train/model_file.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLargest = std::size_t{1} << 28;  // bytes of batch.json

std::vector<TokenId> ids_of(std::span<const TokenId> ids) { return {ids.begin(), ids.end()}; }

std::vector<TokenId> read_ids(const Json& json, const std::string& path) {
  constexpr auto kLargestId = static_cast<std::uint64_t>(std::numeric_limits<TokenId>::max());
  std::vector<TokenId> ids;
  for (const Json& id : json) ids.push_back(static_cast<TokenId>(whole_number(id, "an id", path, kLargestId)));
  return ids;
}

Json sentence(const Batch& batch, Index i, const PairEncoder& encoder) {
  const std::uint64_t line = batch.line[static_cast<std::size_t>(i)];
  std::string source, target;
  encoder.corpus().read(line, source, target);
  return {{"pair", line},     {"where", encoder.corpus().where(line)}, {"source", source},
          {"target", target}, {"source_ids", ids_of(batch.source[i])}, {"target_ids", ids_of(batch.target[i])}};
}

}  // namespace

void write_diverged(const std::filesystem::path& directory, const DivergedBatch& diverged, const PairEncoder& encoder,
                    const ParamStore* weights) {
  Json json = {{"update", diverged.update},
               {"seed", diverged.seed},
               {"learning_rate", diverged.learning_rate},
               {"problem", diverged.problem},
               {"batches", Json::array()}};
  for (const Batch& batch : diverged.batches) {
    Json sentences = Json::array();
    for (Index i = 0; i < batch.count(); ++i) sentences.push_back(sentence(batch, i, encoder));
    json["batches"].push_back(std::move(sentences));
  }
  AtomicDirectory whole(directory.string());
  const std::filesystem::path inside = whole.temporary();
  write_file_atomically((inside / "batch.json").string(),
                        json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  if (weights != nullptr) save_model((inside / "model.safetensors").string(), *weights);
  whole.commit();
}

DivergedBatch read_diverged(const std::filesystem::path& directory) {
  const std::string path = (directory / "batch.json").string();
  if (!std::filesystem::exists(path)) {
    throw UserError(path, 0, "is absent; expected a folder that a diverged training wrote (MODEL_DIR/diverged/N)");
  }
  try {
    const Json json = Json::parse(read_small_file(path, kLargest));
    DivergedBatch diverged;
    diverged.update = static_cast<std::int64_t>(whole_number(json.at("update"), "update", path));
    diverged.seed = whole_number(json.at("seed"), "seed", path, std::numeric_limits<std::uint64_t>::max());
    diverged.learning_rate = json.at("learning_rate");
    diverged.problem = json.at("problem");
    for (const Json& sentences : json.at("batches")) {
      Batch& batch = diverged.batches.emplace_back();
      for (const Json& pair : sentences) {
        batch.source.add(read_ids(pair.at("source_ids"), path));
        batch.target.add(read_ids(pair.at("target_ids"), path));
        batch.line.push_back(whole_number(pair.at("pair"), "pair", path));
      }
    }
    return diverged;
  } catch (const Json::exception& e) {
    throw UserError(path, 0, "damaged: " + json_problem(e));
  }
}

}  // namespace DRAGOMAN_NAMESPACE
