#include "recurrent/cells.h"

#include <array>

#include "core/error.h"

namespace DRAGOMAN_NAMESPACE {

std::span<const Cell* const> cells() {
  static constexpr std::array<const Cell*, 3> kTable = {&kRnnCell, &kGruCell, &kLstmCell};
  return kTable;
}

const Cell& cell_by_name(const std::string& name) {
  for (const Cell* cell : cells()) {
    if (name == cell->name) return *cell;
  }
  CHECK(false, "unknown cell " + name);
  return kRnnCell;
}

}  // namespace DRAGOMAN_NAMESPACE
