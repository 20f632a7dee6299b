// A recurrent layer over packed sentences in batch order, in one or both directions.
#pragma once

#include <array>
#include <string>

#include "recurrent/recurrent_layer.h"

namespace DRAGOMAN_NAMESPACE {

/// y = [h_forward; h_backward] (Schuster and Paliwal 1997), or h_forward alone.
/// final_h = [forward last; backward first]: the state of each direction after it has read the whole sentence.
/// Rows of x and y are in batch order, those of the final states are sentences in batch order.
struct Bidirectional {
  std::array<RecurrentLayer, 2> direction;
  Index directions = 1;

  struct Saved {
    TimeMajor time;
    std::array<std::span<const Index>, 2> rows;  ///< time-major row -> batch row, by direction
    std::array<ConstMat, 2> x;                   ///< time-major inputs
    std::array<StateTrace, 2> trace;
  };

  static Bidirectional create(ParamStore& store, const std::string& name, const Cell& cell, Index input_size,
                              Index hidden_size, bool bidirectional, const RecurrentInit& init);

  [[nodiscard]] Index size() const { return directions * direction[0].hidden_size; }
  [[nodiscard]] bool has_memory() const { return direction[0].cell->has_memory; }

  /// y [rows, size]; final_h, final_c [sentences, size] (final_c empty for cells without memory).
  void forward(Values values, std::span<const Index> offset, ConstMat x, Mat y, Mat final_h, Mat final_c,
               Workspace& workspace, Saved* saved) const;
  /// dfinal_h, dfinal_c may be empty (zero). dx: overwritten; empty: not wanted.
  void backward(Values values, const Saved& saved, ConstMat dy, ConstMat dfinal_h, ConstMat dfinal_c, Mat dx,
                Grads grads, Workspace& workspace) const;
};

}  // namespace DRAGOMAN_NAMESPACE
