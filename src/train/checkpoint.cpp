#include "train/checkpoint.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <vector>

#include "core/error.h"
#include "io/atomic_file.h"
#include "io/byte_stream.h"
#include "io/checksum.h"
#include "train/model_file.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

namespace fs = std::filesystem;

/// The text of a file of a checkpoint; those that we write are short.
std::string read_text(const fs::path& path) { return read_small_file(path.string(), 1 << 20); }

/// Digits, and not more than any update has.
bool is_update(const std::string& name) {
  return !name.empty() && name.size() <= 16 && name.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

Checkpoints::Checkpoints(const fs::path& model_dir) : directory_(model_dir / "checkpoints") {}

fs::path Checkpoints::path_of(std::int64_t update) const {
  char name[32];
  std::snprintf(name, sizeof name, "%06lld", static_cast<long long>(update));
  return directory_ / name;
}

void Checkpoints::save(const ParamStore& store, const Optimizer& optimizer, TrainingState state) const {
  make_subfolder(directory_.string());
  const fs::path path = path_of(state.update);
  AtomicDirectory directory(path.string());
  const fs::path inside = directory.temporary();
  state.files = {{"model.safetensors", save_model((inside / "model.safetensors").string(), store)}};
  if (!optimizer.buffers().empty()) {
    std::vector<TensorSource> tensors;
    for (const Optimizer::Buffer& buffer : optimizer.buffers()) {
      for (TensorSource& t : as_tensors(store, buffer.numbers.data(), buffer.name + ".")) {
        tensors.push_back(std::move(t));
      }
    }
    state.files["optimizer.safetensors"] = write_safetensors((inside / "optimizer.safetensors").string(), tensors,
                                                             {{"format", std::to_string(kModelFormat)}});
  }
  write_file_atomically((inside / "state.json").string(), write_state(state));
  directory.commit();
  make_latest(state.update);
  prune(state);
}

void Checkpoints::make_latest(std::int64_t update) const {
  write_file_atomically((directory_ / "latest").string(), path_of(update).filename().string() + "\n");
}

std::vector<std::int64_t> Checkpoints::updates() const {
  std::vector<std::int64_t> found;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_, none)) {
    const std::string name = entry.path().filename().string();
    if (is_update(name) && path_of(std::stoll(name)) == entry.path()) found.push_back(std::stoll(name));  // else a copy
  }
  std::sort(found.begin(), found.end());
  return found;
}

void Checkpoints::prune(const TrainingState& state, bool later) const {
  std::set<fs::path> kept = {path_of(state.update)};
  if (state.before >= 0) kept.insert(path_of(state.before));
  for (const std::int64_t update : state.scheduled) kept.insert(path_of(update));
  for (const std::int64_t update : updates()) {
    if (update > state.update && !later) continue;
    if (!kept.contains(path_of(update))) remove_whole(path_of(update).string());
  }
}

std::vector<std::string> Checkpoints::models_before(const TrainingState& state, std::int64_t count) const {
  std::vector<std::string> paths;
  for (const std::int64_t update : state.scheduled) {
    if (update < state.update) paths.push_back((path_of(update) / "model.safetensors").string());
  }
  keep_last(paths, count);
  return paths;
}

std::int64_t Checkpoints::latest_update() const {
  const fs::path latest = directory_ / "latest";
  if (!fs::exists(latest)) {
    throw UserError(directory_.string(), 0,
                    updates().empty() ? "no checkpoint to resume from; --overwrite starts afresh"
                                      : "the file latest, which names the last checkpoint, is absent");
  }
  std::string name = read_text(latest);
  if (name.ends_with('\n')) name.pop_back();
  // Nothing but the name of a directory here: this file may come from elsewhere.
  if (!is_update(name) || path_of(std::stoll(name)).filename() != name) {
    throw UserError(latest.string(), 0,
                    "found \"" + name.substr(0, 40) + "\", expected the name of a checkpoint such as 001000");
  }
  return std::stoll(name);
}

TrainingState Checkpoints::latest_state() const { return state_of(latest_update()); }

TrainingState Checkpoints::state_of(std::int64_t update) const {
  const fs::path path = path_of(update) / "state.json";
  TrainingState state = parse_state(read_text(path), path.string());
  if (state.update != update) {
    throw UserError(path.string(), 0, "damaged: it is the state of update " + std::to_string(state.update));
  }
  return state;
}

TrainingState Checkpoints::whole_state_of(std::int64_t update) const {
  TrainingState state = state_of(update);
  for (const auto& [name, expected] : state.files) {
    const std::string path = (path_of(update) / name).string();
    const std::uint32_t found = crc32_of_file(path);
    if (found == expected) continue;
    throw UserError(path, 0,
                    "damaged: its checksum is " + checksum_text(found) + ", expected " + checksum_text(expected));
  }
  return state;
}

std::vector<std::int64_t> Checkpoints::whole_ones() const {
  std::vector<std::int64_t> found = updates();
  std::erase_if(found, [&](std::int64_t update) {
    try {
      (void)whole_state_of(update);
      return false;
    } catch (const UserError&) {
      return true;
    }
  });
  return found;
}

void Checkpoints::load(const TrainingState& state, ParamStore& store, Optimizer& optimizer) const {
  const fs::path path = path_of(state.update);
  load_model((path / "model.safetensors").string(), store);
  std::vector<std::string> prefixes;
  std::vector<Real*> numbers;
  for (Optimizer::Buffer& buffer : optimizer.buffers()) {
    prefixes.push_back(buffer.name + ".");
    numbers.push_back(buffer.numbers.data());
  }
  if (!prefixes.empty()) load_tensors((path / "optimizer.safetensors").string(), store, prefixes, numbers);
}

}  // namespace DRAGOMAN_NAMESPACE
