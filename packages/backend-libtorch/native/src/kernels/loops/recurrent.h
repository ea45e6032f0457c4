// Recurrent layers: for each step a product of the state with its packed weight, and the gates in registers. What the
// inputs add to the gates was one product for all steps.
#pragma once

#include "../recurrent.h"
#include "gemm.h"

namespace pt2::PT2_ISA {

/// The gates of one row: `x` is what its input adds, `s` what its state adds.
inline void recurrent_row(const Recurrent& r, const float* x, const float* s, float* h, float* c, float* out) {
  const int64_t n = r.hidden;
  each_vector(n, [&](int64_t i, int64_t left) {
    const auto gate = [&](int64_t k) { return load_up_to(x + k * n + i, left) + load_up_to(s + k * n + i, left); };
    Vec next;
    switch (r.kind) {
      case RecurrentKind::kGru: {
        const Vec reset = sigmoid(gate(0)), update = sigmoid(gate(1));
        const Vec fresh = tanh(fma(reset, load_up_to(s + 2 * n + i, left), load_up_to(x + 2 * n + i, left)));
        next = fma(update, load_up_to(h + i, left) - fresh, fresh);
        break;
      }
      case RecurrentKind::kLstm: {
        const Vec cell = fma(sigmoid(gate(1)), load_up_to(c + i, left), sigmoid(gate(0)) * tanh(gate(2)));
        store_up_to(c + i, cell, left);
        next = sigmoid(gate(3)) * tanh(cell);
        break;
      }
      case RecurrentKind::kTanh: next = tanh(gate(0)); break;
      case RecurrentKind::kRelu: next = at_least(Vec{}, gate(0)); break;
    }
    store_up_to(h + i, next, left);
    store_up_to(out + i, next, left);
  });
}

/// All steps of rows [begin, end); `scratch` holds `scratch_floats()` for each of them.
inline void recurrent(const Recurrent& r, int64_t begin, int64_t end, float* scratch) {
  const Gemm product{
      .a = r.h + begin * r.hidden,
      .packed = r.packed,
      .bias = r.bias,
      .residual = nullptr,
      .out = scratch,
      .rows = end - begin,
      .inner = r.hidden,
      .columns = r.width(),
      .pitch = r.hidden,
      .out_pitch = r.width(),
      .shape = r.shape,
      .activation = {},
  };
  for (int64_t step = 0; step < r.steps; ++step) {
    const int64_t at = r.reverse ? r.steps - 1 - step : step;
    GemmCopy none{nullptr};
    gemm(product, 0, product.tiles(), none);
    for (int64_t row = begin; row < end; ++row) {
      recurrent_row(r, r.gates + at * r.gates_step + row * r.gates_row, scratch + (row - begin) * r.width(),
                    r.h + row * r.hidden, r.c ? r.c + row * r.hidden : nullptr,
                    r.out + at * r.out_step + row * r.out_row);
    }
  }
}

}  // namespace pt2::PT2_ISA
