#include "train/training_state.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "io/checksum.h"
#include "io/json_read.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kStateFormat = 4;

constexpr const char* kNoChecksum = "00000000";  // in its place while it is computed

/// The text with another checksum.
std::string with_checksum(std::string text, const std::string& before, const std::string& after) {
  const auto key = [](const std::string& value) { return "\"checksum\": \"" + value + "\""; };
  const std::size_t place = text.find(key(before));
  return place == std::string::npos ? text : text.replace(place, key(before).size(), key(after));
}

void check_checksum(const std::string& text, const std::string& expected, const std::string& path) {
  const std::string found = checksum_text(crc32(0, with_checksum(text, expected, kNoChecksum)));
  if (found != expected) throw UserError(path, 0, "damaged: its checksum is " + found + ", expected " + expected);
}

Json files_json(const TrainingState& s) {
  Json json = Json::object();
  for (const auto& [name, checksum] : s.files) json[name] = checksum;
  return json;
}

Json position_json(const BatchPosition& p) { return {{"epoch", p.epoch}, {"window", p.window}, {"batch", p.batch}}; }

}  // namespace

std::string write_state(const TrainingState& s) {
  Json json;
  json["format"] = kStateFormat;
  json["checksum"] = kNoChecksum;
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
  json["best_checksum"] = s.best_checksum;
  json["bad_validations"] = s.bad_validations;
  json["validated_update"] = s.validated_update;
  json["reports"] = s.reports;
  json["loss_watch"] = {
      {"mean", s.loss_watch.mean}, {"distance", s.loss_watch.distance}, {"updates", s.loss_watch.updates}};
  json["divergences"] = s.divergences;
  json["told_of_attention"] = s.attention_watch.told;
  json["rollbacks"] = s.rollbacks;
  json["left_out"] = Json::array();
  for (const auto& [begin, end] : s.left_out) json["left_out"].push_back({position_json(begin), position_json(end)});
  json["scheduled"] = s.scheduled;
  json["validation_due"] = s.validation_due;
  json["before"] = s.before < 0 ? Json(nullptr) : Json(s.before);
  json["began"] = position_json(s.began);
  json["epoch_ended"] = s.epoch_ended;
  json["fingerprint"] = s.fingerprint;
  json["files"] = files_json(s);
  std::string text = json.dump(2) + "\n";
  return with_checksum(text, kNoChecksum, checksum_text(crc32(0, text)));
}

TrainingState parse_state(const std::string& text, const std::string& path) {
  const auto place = [&](const Json& json, const char* key) { return whole_number(json.at(key), key, path); };
  const auto count = [&](const Json& json, const char* key) { return static_cast<std::int64_t>(place(json, key)); };
  const auto checksum = [&](const Json& json, const char* key) {
    constexpr std::uint64_t kLargest = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(whole_number(json.at(key), key, path, kLargest));
  };
  try {
    const Json json = Json::parse(text);
    if (const std::int64_t format = count(json, "format"); format != kStateFormat) {
      throw UserError(path, 0,
                      "was written by " + std::string(format > kStateFormat ? "a newer" : "an older") +
                          " version of the program (format " + std::to_string(format) + ", expected " +
                          std::to_string(kStateFormat) +
                          "); resume with that version, or start afresh with --overwrite");
    }
    check_checksum(text, json.at("checksum").get<std::string>(), path);
    TrainingState s;
    s.update = count(json, "update");
    const auto position = [&](const Json& p) {
      return BatchPosition{place(p, "epoch"), place(p, "window"), place(p, "batch")};
    };
    s.position = position(json.at("position"));
    s.epoch_pairs = count(json, "epoch_pairs");
    s.schedule = {json.at("schedule").at("scale"), count(json.at("schedule"), "bad")};
    const Json& interval = json.at("interval");
    s.interval = {interval.at("loss"), interval.at("negative_log_prob"), interval.at("gradient_norm"),
                  count(interval, "labels"), count(interval, "updates")};
    if (!json.at("best").is_null()) s.best = json.at("best").get<double>();
    s.best_update = count(json, "best_update");
    s.best_checksum = checksum(json, "best_checksum");
    s.bad_validations = count(json, "bad_validations");
    s.validated_update = count(json, "validated_update");
    s.reports = count(json, "reports");
    const Json& watch = json.at("loss_watch");
    s.loss_watch = {watch.at("mean"), watch.at("distance"), count(watch, "updates")};
    s.divergences = count(json, "divergences");
    s.attention_watch.told = json.value("told_of_attention", false);  // absent before there was such a warning
    s.rollbacks = count(json, "rollbacks");
    for (const Json& range : json.at("left_out")) s.left_out.emplace_back(position(range.at(0)), position(range.at(1)));
    for (const Json& update : json.at("scheduled")) {
      s.scheduled.push_back(static_cast<std::int64_t>(whole_number(update, "scheduled", path)));
    }
    s.validation_due = json.at("validation_due");
    s.before = json.at("before").is_null() ? -1 : count(json, "before");
    s.began = position(json.at("began"));
    s.epoch_ended = json.at("epoch_ended");
    s.fingerprint = json.at("fingerprint").get<Fingerprint>();
    const Json& files = json.at("files");  // other names could lead out of the checkpoint's folder
    s.files["model.safetensors"] = checksum(files, "model.safetensors");
    if (const char* moments = "optimizer.safetensors"; files.contains(moments))
      s.files[moments] = checksum(files, moments);
    return s;
  } catch (const Json::exception& e) {
    throw UserError(path, 0, "damaged: " + json_problem(e));
  }
}

}  // namespace DRAGOMAN_NAMESPACE
