#include "train/checkpoint.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/error.h"
#include "io/atomic_file.h"
#include "io/byte_stream.h"
#include "train/model_file.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
constexpr int kStateFormat = 2;

Json position_json(const BatchPosition& p) { return {{"epoch", p.epoch}, {"window", p.window}, {"batch", p.batch}}; }

Json to_json(const TrainingState& s) {
  Json json;
  json["format"] = kStateFormat;
  json["update"] = s.update;
  json["position"] = position_json(s.position);
  json["epoch_pairs"] = s.epoch_pairs;
  json["schedule"] = {{"scale", s.schedule.scale}, {"bad", s.schedule.bad}};
  json["interval"] = {{"loss", s.interval.loss},
                      {"negative_log_prob", s.interval.negative_log_prob},
                      {"gradient_norm", s.interval.gradient_norm},
                      {"labels", s.interval.labels},
                      {"updates", s.interval.updates}};
  json["best"] = s.best ? Json(*s.best) : Json(nullptr);
  json["best_update"] = s.best_update;
  json["bad_validations"] = s.bad_validations;
  json["validated_update"] = s.validated_update;
  json["reports"] = s.reports;
  json["loss_watch"] = {
      {"mean", s.loss_watch.mean}, {"distance", s.loss_watch.distance}, {"updates", s.loss_watch.updates}};
  json["divergences"] = s.divergences;
  json["skipped"] = s.skipped;
  json["rollbacks"] = s.rollbacks;
  json["left_out"] = Json::array();
  for (const auto& [begin, end] : s.left_out) json["left_out"].push_back({position_json(begin), position_json(end)});
  json["interrupted"] = s.interrupted;
  json["validation_due"] = s.validation_due;
  json["epoch_ended"] = s.epoch_ended;
  json["fingerprint"] = s.fingerprint;
  return json;
}

/// The text of a file of a checkpoint; those that we write are short.
std::string read_text(const fs::path& path) { return read_small_file(path.string(), 1 << 20); }

TrainingState read_state(const fs::path& path) {
  // A whole number from 0 up, so small that sums of such numbers can't overflow.
  const auto count = [&](const Json& json, const char* key) {
    const Json& value = json.at(key);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::uint64_t{1} << 53) {
      throw UserError(path.string(), 0, "damaged: " + std::string(key) + " is not a whole number from 0 to 2^53");
    }
    return value.get<std::int64_t>();
  };
  try {
    const Json json = Json::parse(read_text(path));
    if (const std::int64_t format = count(json, "format"); format != kStateFormat) {
      throw UserError(path.string(), 0,
                      "was written by " + std::string(format > kStateFormat ? "a newer" : "an older") +
                          " version of the program (format " + std::to_string(format) + ", expected " +
                          std::to_string(kStateFormat) +
                          "); resume with that version, or start afresh with --overwrite");
    }
    TrainingState s;
    s.update = count(json, "update");
    const auto position = [&](const Json& p) {
      const auto place = [&](const char* key) { return static_cast<std::uint64_t>(count(p, key)); };
      return BatchPosition{place("epoch"), place("window"), place("batch")};
    };
    s.position = position(json.at("position"));
    s.epoch_pairs = count(json, "epoch_pairs");
    s.schedule = {json.at("schedule").at("scale"), count(json.at("schedule"), "bad")};
    const Json& interval = json.at("interval");
    s.interval = {interval.at("loss"), interval.at("negative_log_prob"), interval.at("gradient_norm"),
                  count(interval, "labels"), count(interval, "updates")};
    if (!json.at("best").is_null()) s.best = json.at("best").get<double>();
    s.best_update = count(json, "best_update");
    s.bad_validations = count(json, "bad_validations");
    s.validated_update = count(json, "validated_update");
    s.reports = count(json, "reports");
    const Json& watch = json.at("loss_watch");
    s.loss_watch = {watch.at("mean"), watch.at("distance"), count(watch, "updates")};
    s.divergences = count(json, "divergences");
    s.skipped = count(json, "skipped");
    s.rollbacks = count(json, "rollbacks");
    for (const Json& range : json.at("left_out")) s.left_out.emplace_back(position(range.at(0)), position(range.at(1)));
    s.interrupted = json.at("interrupted");
    s.validation_due = json.at("validation_due");
    s.epoch_ended = json.at("epoch_ended");
    s.fingerprint = json.at("fingerprint").get<Fingerprint>();
    return s;
  } catch (const Json::exception& e) {
    throw UserError(path.string(), 0, std::string("damaged: ") + e.what());
  }
}

}  // namespace

Checkpoints::Checkpoints(const fs::path& model_dir) : directory_(model_dir / "checkpoints") {}

fs::path Checkpoints::path_of(std::int64_t update) const {
  char name[32];
  std::snprintf(name, sizeof name, "%06lld", static_cast<long long>(update));
  return directory_ / name;
}

void Checkpoints::save(const ParamStore& store, const Optimizer& optimizer, const TrainingState& state,
                       std::int64_t keep) const {
  make_folder(directory_.string());
  const fs::path path = path_of(state.update);
  AtomicDirectory directory(path.string());
  const fs::path inside = directory.temporary();
  save_model((inside / "model.safetensors").string(), store);
  if (!optimizer.moments.empty()) {
    std::vector<TensorSource> tensors;
    for (const Optimizer::Moment& moment : optimizer.moments) {
      for (TensorSource& t : as_tensors(store, moment.numbers.data(), moment.name + "."))
        tensors.push_back(std::move(t));
    }
    write_safetensors((inside / "optimizer.safetensors").string(), tensors, {{"format", std::to_string(kModelFormat)}});
  }
  write_file_atomically((inside / "state.json").string(), to_json(state).dump(2) + "\n");
  directory.commit();
  write_file_atomically((directory_ / "latest").string(), path.filename().string() + "\n");
  prune(state.update, keep);
}

std::vector<std::pair<TrainingState, fs::path>> Checkpoints::list() const {
  std::vector<std::pair<TrainingState, fs::path>> found;
  if (!fs::exists(directory_)) return found;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_)) {
    if (!fs::exists(entry.path() / "state.json")) continue;
    const TrainingState state = read_state(entry.path() / "state.json");
    if (entry.path() == path_of(state.update)) found.emplace_back(state, entry.path());  // else somebody's copy
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first.update < b.first.update; });
  return found;
}

void Checkpoints::prune(std::int64_t newest, std::int64_t keep) const {
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_)) {
    const std::string name = entry.path().filename().string();
    const bool number = std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
    // What is left of a removal that was cut short.
    if (number && entry.is_directory() && !fs::exists(entry.path() / "state.json")) remove_whole(entry.path().string());
  }
  std::vector<std::pair<std::int64_t, fs::path>> scheduled;
  for (const auto& [state, path] : list()) {
    if (!state.interrupted && state.update <= newest) {
      scheduled.emplace_back(state.update, path);
    } else if (state.update != newest) {
      remove_whole(path.string());
    }
  }
  const auto excess = static_cast<std::int64_t>(scheduled.size()) - std::max<std::int64_t>(keep, 1);
  for (std::int64_t i = 0; i < excess; ++i) {
    if (scheduled[i].first != newest) remove_whole(scheduled[i].second.string());
  }
}

std::vector<std::string> Checkpoints::models_before(std::int64_t update, std::int64_t count) const {
  std::vector<std::string> paths;
  for (const auto& [state, path] : list()) {
    if (!state.interrupted && state.update < update) paths.push_back((path / "model.safetensors").string());
  }
  const auto excess = static_cast<std::int64_t>(paths.size()) - count;
  if (excess > 0) paths.erase(paths.begin(), paths.begin() + excess);
  return paths;
}

TrainingState Checkpoints::latest_state() const {
  const fs::path latest = directory_ / "latest";
  if (!fs::exists(latest)) {
    throw UserError(directory_.string(), 0, "no checkpoint to resume from; --overwrite starts afresh");
  }
  std::string name = read_text(latest);
  if (name.ends_with('\n')) name.pop_back();
  // Nothing but the name of a directory here: this file may come from elsewhere.
  if (name.empty() || name.size() > 16 || name.find_first_not_of("0123456789") != std::string::npos) {
    throw UserError(latest.string(), 0,
                    "found \"" + name.substr(0, 40) + "\", expected the name of a checkpoint such as 001000");
  }
  const fs::path path = directory_ / name / "state.json";
  TrainingState state = read_state(path);
  if (path_of(state.update) != directory_ / name) {
    throw UserError(path.string(), 0, "damaged: it is the state of update " + std::to_string(state.update));
  }
  return state;
}

void Checkpoints::load(const TrainingState& state, ParamStore& store, Optimizer& optimizer) const {
  const fs::path path = path_of(state.update);
  load_model((path / "model.safetensors").string(), store);
  std::vector<std::string> prefixes;
  std::vector<Real*> numbers;
  for (Optimizer::Moment& moment : optimizer.moments) {
    prefixes.push_back(moment.name + ".");
    numbers.push_back(moment.numbers.data());
  }
  if (!prefixes.empty()) load_tensors((path / "optimizer.safetensors").string(), store, prefixes, numbers);
}

}  // namespace DRAGOMAN_NAMESPACE
