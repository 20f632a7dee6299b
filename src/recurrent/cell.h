// A recurrent cell is only its pointwise half: the matrix products belong to RecurrentLayer.
//
// For one time step of n rows, with gate pre-activations gx = x W_x + b and gh = h_prev W_h, each [n, G H]:
//   forward  computes h (and c) [n, H] and what backward needs, saved [n, S H];
//   backward turns dh (and dc) into dgx, dgh and the part of dh_prev that does not pass through gh.
// Adding a cell: one file cell_NAME.cpp and one line in cells.cpp.
#pragma once

#include "core/mat.h"

namespace DRAGOMAN_NAMESPACE {

struct CellForward {
  ConstMat gx, gh;       ///< [n, G H]
  ConstMat hidden_bias;  ///< [1, H], cells with a hidden_bias_gate
  ConstMat h_prev;       ///< [n, H]
  ConstMat c_prev;       ///< [n, H], cells with has_memory
  Mat h, c;              ///< out
  Mat saved;             ///< out [n, S H]
};

struct CellBackward {
  ConstMat saved;
  ConstMat h_prev, h;
  ConstMat c_prev;
  ConstMat dh;  ///< total gradient of h
  Mat dc;       ///< in: gradient of c; out: gradient of c_prev
  Mat dgx;      ///< out [n, G H]
  Mat dgh;      ///< out [n, G H]; for cells without distinct_gradients it is dgx itself
  Mat dh_prev;  ///< out [n, H]: the direct part
};

struct Cell {
  const char* name;
  Index gates = 1;                  ///< G
  Index saved = 0;                  ///< S
  bool has_memory = false;          ///< a second state c (LSTM)
  Index hidden_bias_gate = -1;      ///< the gate with a bias inside the recurrent product (GRU: c_n), or -1
  bool distinct_gradients = false;  ///< dgh differs from dgx
  Index forget_gate = -1;           ///< the gate that gets the forget bias, or -1
  void (*forward)(const CellForward&) = nullptr;
  void (*backward)(const CellBackward&) = nullptr;
};

}  // namespace DRAGOMAN_NAMESPACE
