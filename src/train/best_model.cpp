#include "train/best_model.h"

#include <vector>

#include "io/byte_stream.h"
#include "io/checksum.h"
#include "train/model_file.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

std::string best_checkpoint(const Checkpoints& checkpoints, const TrainingState& state) {
  return (checkpoints.path_of(state.best_update) / "model.safetensors").string();
}

}  // namespace

BestModel::BestModel(const std::filesystem::path& model_dir) : path_(model_dir / "model.safetensors") {}

std::uint32_t BestModel::prepare(const ParamStore& store) {
  prepared_.reset();
  prepared_.emplace(path_.string());
  write_model(*prepared_, store);
  return prepared_->checksum();
}

void BestModel::put_in_place() {
  if (prepared_) prepared_->commit();
  prepared_.reset();
}

bool BestModel::belongs_to(const TrainingState& state) const {
  return !state.best || has_checksum(path_.string(), state.best_checksum);
}

bool BestModel::restore(const Checkpoints& checkpoints, const TrainingState& state) const {
  const std::string from = best_checkpoint(checkpoints, state);
  if (!has_checksum(from, state.best_checksum)) return false;
  ByteStream stream(open_file(from), from);  // as it is, whatever it begins with
  AtomicFile file(path_.string());
  std::vector<char> chunk(std::size_t{1} << 20);
  while (const std::size_t n = stream.read(chunk.data(), chunk.size())) file.write(chunk.data(), n);
  file.commit();
  return true;
}

bool BestModel::available(const Checkpoints& checkpoints, const TrainingState& state) const {
  return belongs_to(state) || state.best_update == state.update ||
         has_checksum(best_checkpoint(checkpoints, state), state.best_checksum);
}

}  // namespace DRAGOMAN_NAMESPACE
