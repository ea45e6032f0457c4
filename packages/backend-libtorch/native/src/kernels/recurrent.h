// A recurrent layer in one direction as the loops see it: plain pointers and sizes, already checked.
#pragma once

#include <cstdint>

#include "gemm.h"

namespace pt2 {

enum class RecurrentKind : uint8_t { kGru, kLstm, kTanh, kRelu };

/// The number of gates, in PyTorch's order: reset, update, new; input, forget, cell, output; one.
inline int64_t gates_of(RecurrentKind kind) {
  return kind == RecurrentKind::kGru ? 3 : kind == RecurrentKind::kLstm ? 4 : 1;
}

struct Recurrent {
  RecurrentKind kind;
  const float* gates;   // what the inputs add to the gates of each step and row: gates * hidden numbers
  const float* packed;  // the weight of the state, as `Gemm` has it: [gates * hidden, hidden]
  const float* bias;    // gates * hidden, or null
  float* h;             // the state, batch, hidden: read before the first step, written at the end
  float* c;             // the cell of an LSTM, in the same way, or null
  float* out;           // the state after each step
  int64_t steps, batch, hidden;
  int64_t gates_step, gates_row;  // floats between steps and rows of `gates`
  int64_t out_step, out_row;      // and of `out`
  bool reverse;                   // from the last step to the first
  GemmShape shape;                // of `width()`

  int64_t width() const { return gates_of(kind) * hidden; }
  /// What one thread needs for each of its rows.
  int64_t scratch_floats() const { return width(); }
};

}  // namespace pt2
