// One direction of one recurrent layer: the matrix products around a cell, forward and back through time.
#pragma once

#include <string>

#include "core/params.h"
#include "layers/linear.h"
#include "recurrent/cells.h"
#include "recurrent/time_major.h"

namespace DRAGOMAN_NAMESPACE {

/// How recurrent layers start: input matrices, recurrent matrices, forget bias.
struct RecurrentInit {
  std::string weights = "xavier";
  std::string recurrent = "orthogonal";
  double scale = 0.1;
  double forget_bias = 1;
};

/// h and c of all steps, time-major, with the initial state in front: rows 0 .. B-1 are the state before step 0,
/// then the rows of TimeMajor follow. `saved` has a row for each row of TimeMajor.
struct StateTrace {
  TimeMajor time;
  Mat h, c;   ///< [B + rows, H]; c has no columns for cells without memory
  Mat saved;  ///< [rows, S H]

  static StateTrace create(const TimeMajor& time, const Cell& cell, Index hidden_size, Workspace& workspace);
  [[nodiscard]] static Mat at(Mat states, const TimeMajor& time, Index t);
  /// State before step t, for the rows of step t.
  [[nodiscard]] static Mat before(Mat states, const TimeMajor& time, Index t);
  [[nodiscard]] Mat saved_at(Index t) const { return saved.row_range(time.start[t], time.alive(t)); }
  /// h of all steps, without the initial state.
  [[nodiscard]] ConstMat outputs() const { return h.row_range(time.sentences(), time.rows()); }
  /// h before each row, as one matrix [rows, H], for the gradient of W_h.
  [[nodiscard]] Mat previous(Workspace& workspace) const;
};

/// gx = x W_x + b    gh = h_prev W_h    (h, c) = cell(gx, gh, h_prev, c_prev)
/// W_x [in, G H]   W_h [H, G H]   b [1, G H]   c_n [1, H] (GRU only)
///
/// In training the input product is done for all steps at once, the time loop has only the recurrent product and
/// the pointwise half; in backward the loop computes dgx, dgh and dh_prev, and each weight gradient is one product
/// over all rows after it (as in cuDNN and oneDNN).
struct RecurrentLayer {
  const Cell* cell = nullptr;
  Linear input;  ///< W_x, b; W_x may have no rows (no input: gx = b)
  ParamRef w_h, c_n;
  Index hidden_size = 0;

  static RecurrentLayer create(ParamStore& store, const std::string& name, const Cell& cell, Index input_size,
                               Index hidden_size, const RecurrentInit& init);

  [[nodiscard]] Index gates_size() const { return cell->gates * hidden_size; }

  // --- One step of n rows (the time loops of the encoder and the decoder, and decoding). ---

  /// gx [n, G H] is given; h, c are written; saved empty in inference.
  void step(Values values, ConstMat gx, ConstMat h_prev, ConstMat c_prev, Mat h, Mat c, Mat saved,
            Workspace& workspace) const;

  struct StepGrad {
    ConstMat saved, h_prev, h, c_prev;
    ConstMat dh;   ///< total gradient of h
    Mat dc;        ///< in: of c; out: of c_prev
    Mat dgx, dgh;  ///< out; dgh = dgx for cells without distinct gradients
    Mat dh_prev;   ///< out: overwritten; may be dh's own rows
  };
  void step_backward(Values values, const StepGrad& step, Workspace& workspace) const;

  /// dW_h += h_prev^T dgh, dc_n += column sums, over all rows at once.
  void recurrent_weights_backward(ConstMat h_prev, ConstMat dgh, Grads grads) const;

  // --- All steps. ---

  /// x [rows, in] time-major. initial_h, initial_c [B, H] in TimeMajor's order; empty: zero.
  StateTrace forward(Values values, const TimeMajor& time, ConstMat x, ConstMat initial_h, ConstMat initial_c,
                     Workspace& workspace) const;
  /// dh_all [rows, H]: gradient of the outputs. dh_carry, dc_carry [B, H]: in: gradient of each sentence's final
  /// state; out: gradient of the initial state. dx: overwritten (empty: not wanted).
  void backward(Values values, const StateTrace& trace, ConstMat x, ConstMat dh_all, Mat dh_carry, Mat dc_carry, Mat dx,
                Grads grads, Workspace& workspace) const;
};

}  // namespace DRAGOMAN_NAMESPACE
