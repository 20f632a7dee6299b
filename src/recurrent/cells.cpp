#include "recurrent/cells.h"

namespace DRAGOMAN_NAMESPACE {

Table<Cell>& cells() {
  static Table<Cell> table("cell", {&kRnnCell, &kGruCell, &kLstmCell});
  return table;
}

}  // namespace DRAGOMAN_NAMESPACE
