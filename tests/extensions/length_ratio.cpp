// Bytes of all translations over those of all references.
#include "extensions/extensions.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

double bytes(std::span<const std::string> lines) {
  std::size_t sum = 0;
  for (const std::string& line : lines) sum += line.size();
  return static_cast<double>(sum);
}

double length_ratio(const TranslatedText& text) { return bytes(text.translations) / bytes(text.references); }

}  // namespace

const Metric kLengthRatio = {.name = "length_ratio", .of_text = length_ratio};

}  // namespace DRAGOMAN_NAMESPACE
