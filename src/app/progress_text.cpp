#include "app/progress_text.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "train/validation_metrics.h"

namespace dragoman {
namespace {

constexpr std::size_t kGap = 2;  // between fields

std::string clock_text(double seconds) {
  if (seconds < 0) return "?";
  const auto s = static_cast<long>(seconds);
  return s >= 3600 ? fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
                   : fmt::format("{}:{:02}", s / 60, s % 60);
}

std::string loss_name(bool smoothed) { return smoothed ? "smoothed loss" : "loss"; }

std::string metric_text(const std::string& name, double value, bool smoothed) {
  const Metric& metric = validation_metrics().at(name);
  return fmt::format("{} {:.{}f}", metric.smoothed ? loss_name(smoothed) : metric.shown, value, metric.decimals);
}

std::size_t columns(const std::vector<LinePart>& fields) {
  std::size_t sum = 0;
  for (const LinePart& field : fields) sum += field.text.size() + (sum > 0 ? kGap : 0);
  return sum;
}

}  // namespace

std::vector<LinePart> interval_fields(const IntervalReport& r, bool smoothed) {
  const double speed = r.seconds > 0 ? static_cast<double>(r.labels) / r.seconds : 0;
  return {{fmt::format("epoch {:>2}", r.epoch)},
          {fmt::format("update {:>6}", r.update)},
          {fmt::format("{} {:.3f}", loss_name(smoothed), r.loss)},
          {fmt::format("ppl {:>6.4g}", r.perplexity), 1},
          {fmt::format("lr {:.3e}", r.learning_rate), 4},
          {fmt::format("grad {:.3f}", r.gradient_norm), 3},
          {fmt::format("{:>6.0f} tok/s", speed), 2},
          {"left " + clock_text(r.seconds_left)}};
}

std::vector<LinePart> validation_fields(const std::string& kind, const ValidationReport& r, bool smoothed) {
  std::vector<LinePart> fields = {{kind}, {"update " + std::to_string(r.update)}};
  for (const auto& [name, value] : r.metrics) fields.push_back({metric_text(name, value, smoothed)});
  if (const std::size_t cut = r.cut.value_or(0); cut > 0) {
    fields.push_back(
        {std::to_string(cut) + (cut == 1 ? " translation" : " translations") + " cut at the longest length allowed"});
  }
  if (r.best) fields.push_back({"best so far"});
  fields.push_back({fmt::format("{:.1f} s", r.seconds)});
  return fields;
}

std::string one_line_of(const std::vector<LinePart>& fields, std::size_t width) {
  std::vector<LinePart> kept = fields;
  while (width > 0 && columns(kept) > width) {
    const auto least = std::max_element(kept.begin(), kept.end(), [](auto& a, auto& b) { return a.rank < b.rank; });
    if (least->rank == 0) break;
    kept.erase(least);
  }
  return lines_of(kept, 0, 0);
}

std::string lines_of(const std::vector<LinePart>& fields, std::size_t width, std::size_t indent) {
  std::string text;
  std::size_t used = 0;
  for (const LinePart& field : fields) {
    const bool fits = width == 0 || used + kGap + field.text.size() <= width;
    if (used > 0) text += fits ? std::string(kGap, ' ') : "\n" + std::string(indent + kGap, ' ');
    used = (used == 0 ? 0 : (fits ? used : 0) + kGap) + field.text.size();
    text += field.text;
  }
  return text;
}

}  // namespace dragoman
