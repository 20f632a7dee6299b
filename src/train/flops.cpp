#include "train/flops.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

bool contains(const std::string& name, const char* part) { return name.find(part) != std::string::npos; }

/// Rows that the matrix of this name multiplies in forward.
Index rows_of(const std::string& name, const UpdateRows& rows) {
  if (name.starts_with("encoder.")) return rows.source_tokens;
  if (name.starts_with("decoder.bridge.")) return rows.sentences;
  const bool of_memory = contains(name, ".cross.") || contains(name, ".attention.");
  if (of_memory && (contains(name, ".key.") || contains(name, ".value."))) return rows.source_tokens;
  return rows.target_tokens;
}

}  // namespace

double update_flops(const ParamStore& store, const UpdateRows& rows) {
  double products = 0;
  for (const Param& p : store.params()) {
    if (p.use == ParamUse::other) continue;
    products += static_cast<double>(p.ref.rows * p.ref.cols) * static_cast<double>(rows_of(p.name, rows));
  }
  return 6 * products;
}

}  // namespace DRAGOMAN_NAMESPACE
