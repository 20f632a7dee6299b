// Configurations. The input is the text of a file; behind a NUL byte each further part is an override (--set).
#include "config/config.h"
#include "support.h"

using namespace dragoman;

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  std::vector<std::string> parts(1);
  for (const char c : std::string_view(data, size)) {
    if (c == '\0') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  const std::string text = parts.front();
  parts.erase(parts.begin());
  Config config;
  if (!fuzz::accepted(parts.empty() ? "input" : "", [&] { config = parse_config(text, "input", parts); })) return 0;
  const std::string whole = emit_config(config);
  fuzz::require(emit_config(parse_config(whole, "emitted")) == whole, "emitted and read again it is the same");
  const std::string changes = emit_changes(config);
  fuzz::require(emit_config(parse_config(changes, "changes")) == whole, "what differs from the defaults is all it is");
  return 0;
}
