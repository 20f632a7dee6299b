// The table of recurrent cells.
#pragma once

#include <span>
#include <string>

#include "recurrent/cell.h"

namespace DRAGOMAN_NAMESPACE {

extern const Cell kRnnCell;   ///< Elman 1990: h = tanh(gx + gh)
extern const Cell kGruCell;   ///< Cho et al. 2014, reset after the product
extern const Cell kLstmCell;  ///< Hochreiter and Schmidhuber 1997, with forget gate

std::span<const Cell* const> cells();

/// The cell of that name; CHECK fails for an unknown one (configurations are checked before).
const Cell& cell_by_name(const std::string& name);

}  // namespace DRAGOMAN_NAMESPACE
