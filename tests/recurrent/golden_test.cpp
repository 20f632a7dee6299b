// Every recurrent cell against PyTorch's: outputs, final states and all gradients of ragged sentences.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "extensions/extensions.h"
#include "kernels/rows.h"
#include "recurrent/recurrent_layer.h"
#include "support/golden.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

Numbers matrix(const nlohmann::json& numbers, Index cols) {
  const auto values = numbers.get<std::vector<double>>();
  Numbers m(static_cast<Index>(values.size()) / cols, cols, 0);
  for (std::size_t i = 0; i < values.size(); ++i) m.data[i] = static_cast<Real>(values[i]);
  return m;
}

/// Rows in another order: row i is row index[i] of m.
Numbers gathered(ConstMat m, std::span<const Index> index) {
  Numbers result(m.rows, m.cols, 0);
  gather(m, index, result.mat());
  return result;
}

Numbers scattered(ConstMat m, std::span<const Index> index) {
  Numbers result(m.rows, m.cols, 0);
  scatter(m, index, result.mat());
  return result;
}

/// The last states of all sentences, in batch order.
Numbers final_states(const StateTrace& trace, Mat states) {
  Numbers result(trace.time.sentences(), states.cols, 0);
  for (Index i = 0; i < trace.time.sentences(); ++i) {
    const Index sentence = trace.time.order[i];
    const Index last = trace.time.offset[sentence + 1] - trace.time.offset[sentence] - 1;
    const Mat rows = StateTrace::at(states, trace.time, last);
    std::copy_n(rows.row(i), states.cols, result.mat().row(sentence));
  }
  return result;
}

void check_cell(const nlohmann::json& golden) {
  const auto name = golden.at("cell").get<std::string>();
  SCOPED_TRACE(name);
  const Cell& cell = cells().at(name);
  const auto hidden = golden.at("hidden").get<Index>();
  const nlohmann::json& tensors = golden.at("tensors");
  ParamStore store;
  const RecurrentLayer layer =
      RecurrentLayer::create(store, "layer", cell, golden.at("inputs").get<Index>(), hidden, {});
  set_parameters(store, tensors);

  Workspace workspace;
  const std::vector<Index> offset = offsets_of(golden.at("lengths"));
  const TimeMajor time = TimeMajor::create(offset, workspace);
  const std::span<const Index> rows = time.batch_rows(false, workspace);
  const Numbers x = gathered(golden_matrix(tensors.at("x")), rows);
  const Numbers h0 = gathered(golden_matrix(tensors.at("h0")), time.order);
  const Numbers c0 = cell.has_memory ? gathered(golden_matrix(tensors.at("c0")), time.order) : Numbers(0, 0, 0);
  const StateTrace trace = layer.forward(store.values(), time, x, h0, c0, workspace);
  expect_golden("y", scattered(trace.outputs(), rows), golden.at("y"));
  expect_golden("final_h", final_states(trace, trace.h), golden.at("final_h"));
  if (cell.has_memory) expect_golden("final_c", final_states(trace, trace.c), golden.at("final_c"));

  const Numbers dy = gathered(matrix(golden.at("dy"), hidden), rows);
  Numbers dh = gathered(matrix(golden.at("dh"), hidden), time.order);
  Numbers dc = cell.has_memory ? gathered(matrix(golden.at("dc"), hidden), time.order) : Numbers(3, 0, 0);
  Numbers dx(x.rows, x.cols, 1);
  std::vector<Real> gradient(store.size());
  layer.backward(store.values(), trace, x, dy, dh.mat(), dc.mat(), dx.mat(), {gradient.data()}, workspace);
  expect_golden_gradients(store, gradient, tensors);
  expect_golden("dx", scattered(dx, rows), tensors.at("x").at("gradient"));
  expect_golden("dh0", scattered(dh, time.order), tensors.at("h0").at("gradient"));
  if (cell.has_memory) expect_golden("dc0", scattered(dc, time.order), tensors.at("c0").at("gradient"));
}

TEST(CellGolden, EveryCellMatchesPyTorch) {
  const nlohmann::json goldens = read_golden("cells.json");
  std::set<std::string> tested;
  for (const nlohmann::json& golden : goldens) {
    check_cell(golden);
    tested.insert(golden.at("cell").get<std::string>());
    if (HasFatalFailure()) return;
  }
  for (const Cell* cell : cells()) {
    EXPECT_TRUE(tested.contains(cell->name) || cell == &kMinimalGatedUnit) << cell->name << " has no golden";
  }
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
