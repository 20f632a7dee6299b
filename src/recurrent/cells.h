// The table of recurrent cells.
#pragma once

#include "core/table.h"
#include "recurrent/cell.h"

namespace DRAGOMAN_NAMESPACE {

extern const Cell kRnnCell;   ///< Elman 1990: h = tanh(gx + gh)
extern const Cell kGruCell;   ///< Cho et al. 2014, reset after the product
extern const Cell kLstmCell;  ///< Hochreiter and Schmidhuber 1997, with forget gate

Table<Cell>& cells();

}  // namespace DRAGOMAN_NAMESPACE
