#include "train/diverged_batch.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

#include "core/error.h"
#include "io/atomic_file.h"
#include "train/model_file.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

using Json = nlohmann::ordered_json;

std::vector<TokenId> ids_of(std::span<const TokenId> ids) { return {ids.begin(), ids.end()}; }

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
  write_file_atomically((inside / "batch.json").string(), json.dump(1) + "\n");
  if (weights != nullptr) save_model((inside / "model.safetensors").string(), *weights);
  whole.commit();
}

DivergedBatch read_diverged(const std::filesystem::path& directory) {
  const std::string path = (directory / "batch.json").string();
  std::ifstream file(path);
  if (!file) {
    throw UserError(path, 0, "cannot open; expected a folder that a diverged training wrote (MODEL_DIR/diverged/N)");
  }
  try {
    const Json json = Json::parse(file);
    DivergedBatch diverged{json.at("update"), json.at("seed"), json.at("learning_rate"), json.at("problem"), {}};
    for (const Json& sentences : json.at("batches")) {
      Batch& batch = diverged.batches.emplace_back();
      for (const Json& pair : sentences) {
        batch.source.add(pair.at("source_ids").get<std::vector<TokenId>>());
        batch.target.add(pair.at("target_ids").get<std::vector<TokenId>>());
        batch.line.push_back(pair.at("pair"));
      }
    }
    return diverged;
  } catch (const Json::exception& e) {
    throw UserError(path, 0, std::string("damaged: ") + e.what());
  }
}

}  // namespace DRAGOMAN_NAMESPACE
